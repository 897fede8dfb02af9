// Runs before the page is drawn, so that it does not flash in the other theme.
{
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  // The position of a link that was opened before its run was, as `locked.html` has kept it.
  const wanted = sessionStorage.getItem("wanted");
  sessionStorage.removeItem("wanted");
  if (wanted && !location.hash) history.replaceState(null, "", wanted);
  if (location.pathname === "/index.html") history.replaceState(null, "", `/${location.hash}`);
}
