// Runs before the page is drawn, so that it does not flash in the other theme.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  // The position of a link that was opened before the server's own address, stored by `locked.html`.
  const wanted = sessionStorage.getItem("wanted");
  sessionStorage.removeItem("wanted");
  if (wanted && !location.hash) history.replaceState(null, "", wanted);
} catch {
  // The browser stores nothing for this page.
}
if (location.pathname === "/index.html") history.replaceState(null, "", `/${location.hash}`);
