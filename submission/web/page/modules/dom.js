/** Makes, finds and fills elements of the page; binds keys; recognizes aborted questions. */

const SVG = "http://www.w3.org/2000/svg";
export const TYPED = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea"; // where letters are text

/** Make an element; properties that it does not have become attributes, and `on...` become listeners. */
export function h(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made) made[key] = value;
    else made.setAttribute(key, String(value));
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

/** Make an element of SVG. */
export function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The element with an id. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  return document.getElementById(id);
}

/** Write a sentence into an element of the class `error`, or clear it with "". */
export function showError(place, sentence) {
  place.textContent = sentence;
  place.hidden = !sentence;
}

/** Whether an error means that the question was aborted. */
export function isAbort(error) {
  return error.name === "AbortError";
}

/** The mark of each player, by number. */
export const MARKS = ["", "X", "O"];

/** The sign of a value, by its kind. */
export const SIGNS = { win: "▲", draw: "=", loss: "▼", unknown: "?" };

/** A small stone with its mark, as beside a player's name. @param {1|2} player @returns {SVGElement} */
export function stone(player) {
  const mark = player === 1
    ? svg("path", { d: "M7 7l6 6m0 -6l-6 6", class: "mark" })
    : svg("circle", { cx: 10, cy: 10, r: 3.6, class: "mark" });
  return svg(
    "svg",
    { viewBox: "0 0 20 20", class: `stone stone-${player}`, role: "img", "aria-label": MARKS[player] },
    svg("circle", { cx: 10, cy: 10, r: 9 }),
    mark,
  );
}

/** @param {number} value @returns {string} with its sign, such as "+0.31" */
export function signed(value) {
  const text = Math.abs(value).toFixed(Number.isInteger(value) ? 0 : 2);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${text}`;
}

/** @param {number} seconds @returns {string} */
export function secondsText(seconds) {
  return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
}

/**
 * Listen to keys: letters, digits, and the left (-1) and right (1) arrows, unless the focused element uses them
 * itself.
 */
export function bindKeys(letters, { digit, arrow }) {
  document.addEventListener("keydown", event => {
    const unwanted = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey
      || event.target.closest(TYPED) || document.querySelector("dialog[open]");
    if (unwanted) return;
    if (/^Arrow(Left|Right)$/.test(event.key)) {
      if (!event.target.matches("body, button, [type=checkbox]")) return;
      event.preventDefault();
      arrow(event.key === "ArrowLeft" ? -1 : 1);
    } else if (byId("keys-switch").checked) {
      const action = /^[1-9]$/.test(event.key) ? () => digit(Number(event.key) - 1) : letters[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }
  });
}
