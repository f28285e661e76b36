// The theme puts every copy button into a landmark of its own, without a name; here it is a plain part of the page.
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".md-code__nav:not([role])")) box.setAttribute("role", "presentation");
}).observe(document.documentElement, { childList: true, subtree: true });
