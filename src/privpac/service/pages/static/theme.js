// Before anything is painted: the theme a person chose earlier, if any.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("privpac-theme"); } catch { /* a browser that remembers nothing */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
