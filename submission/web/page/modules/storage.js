/** What the browser keeps of a page. It may refuse to, as for a page that stands in a frame of another site. */

/**
 * Read what is kept.
 *
 * @param {"localStorage"|"sessionStorage"} where
 * @param {string} name
 * @returns {string|null} null where there is nothing
 */
export function kept(where, name) {
  try {
    return window[where].getItem(name);
  } catch {
    return null;
  }
}

/**
 * Keep a text, if the browser does.
 *
 * @param {"localStorage"|"sessionStorage"} where
 * @param {string} name
 * @param {string|null} text null: forget what is kept
 */
export function keep(where, name, text) {
  try {
    if (text === null) window[where].removeItem(name);
    else window[where].setItem(name, text);
  } catch {
    // What is not kept holds until the page is left.
  }
}
