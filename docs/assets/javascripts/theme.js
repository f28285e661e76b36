// What the theme adds while it runs, made fit for a keyboard and a screen reader: a copy button is a plain part of the page,
// not a landmark without a name, and a table that is wider than the screen can be reached and scrolled with keys.
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".md-code__nav:not([role])")) box.setAttribute("role", "presentation");
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) box.tabIndex = 0;
}).observe(document.documentElement, { childList: true, subtree: true });
