/** The keys of one letter, wherever the focus is but in a field that takes text. */

import { byId } from "./dom.js";

const TYPED = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea";

/**
 * Listen to keys.
 *
 * @param {Object<string, () => unknown>} letters what each key does
 * @param {{digit: (action: number) => unknown, arrow: () => unknown}} board what 1 to 9 and the
 *   arrows do, where the focus is not on the board or on something that takes them itself
 */
export function bindKeys(letters, { digit, arrow }) {
  document.addEventListener("keydown", event => {
    const unwanted = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey
      || event.target.closest(TYPED) || document.querySelector("dialog[open]");
    if (unwanted) return;
    if (/^Arrow(Left|Right)$/.test(event.key)) {
      if (event.target !== document.body) return;
      event.preventDefault();
      arrow();
    } else if (byId("keys-switch").checked) {
      const action = /^[1-9]$/.test(event.key) ? () => digit(Number(event.key) - 1) : letters[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }
  });
}
