/** What the browser keeps of a page. It may refuse to, as for a page that stands in a frame of another site. */

/** Read what "localStorage" or "sessionStorage" keeps by a name; null where there is nothing. */
export function kept(where, name) {
  try {
    return window[where].getItem(name);
  } catch {
    return null;
  }
}

/** Keep a text in "localStorage" or "sessionStorage", if the browser does; null forgets what is kept. */
export function keep(where, name, text) {
  try {
    if (text === null) window[where].removeItem(name);
    else window[where].setItem(name, text);
  } catch {
    // What is not kept holds until the page is left.
  }
}
