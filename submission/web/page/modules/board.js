/**
 * A board to look at and to play on. The module imports nothing, so that it can be used anywhere:
 * in the page of `connectx web`, and in a notebook.
 *
 * It lives in a shadow root of its own, where the styles of the page around do not reach; colours
 * are taken from the custom properties `--cx-...`, or else follow `prefers-color-scheme`.
 */

const SVG = "http://www.w3.org/2000/svg";
const UNIT = 100; // of the drawing, for a cell
const STONE = 41;
const HOLE = 40;
const MARKS = ["", "X", "O"];
const NARROW = 34; // pixels of a cell below which values are written upright
const WORDY = 42; // and from which a value's word stands above its sign
const SETTLED = 700; // milliseconds after which values that have not changed are read aloud

const STYLE = `
:host { display: block; }
:host, .cx-board {
  --text: var(--cx-text, #0b1f38);
  --faint: var(--cx-faint, #536174);
  --surface: var(--cx-surface, #ffffff);
  --accent: var(--cx-accent, #1b62b5);
  --frame: var(--cx-frame, #1d4e89);
  --edge: var(--cx-edge, #153b68);
  --hole: var(--cx-hole, #f4f7fb);
  --ink: var(--cx-ink, #0b1f38);
  --first: var(--cx-first, #e8643c);
  --second: var(--cx-second, #f2c14e);
}
@media (prefers-color-scheme: dark) {
  :host, .cx-board {
    --text: var(--cx-text, #e8eef6);
    --faint: var(--cx-faint, #a3b1c4);
    --surface: var(--cx-surface, #18202b);
    --accent: var(--cx-accent, #7fb8f5);
    --frame: var(--cx-frame, #2a5f9e);
    --edge: var(--cx-edge, #1a4272);
    --hole: var(--cx-hole, #111822);
  }
}
.cx-board {
  box-sizing: border-box;
  color: var(--text);
  font: var(--cx-size, 14px)/1.2 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  margin-inline: auto;
  position: relative;
  width: min(100%,
    var(--cx-height, 70vh) * var(--columns) / var(--rows), var(--cx-cell, 88px) * var(--columns));
}
.cx-board *, .cx-board *::before { box-sizing: border-box; }
.cx-field { display: grid; position: relative; }
.cx-column .cx-field { grid-template-rows: 0.4em auto 1.6em; }
.cx-column.cx-valued .cx-field { grid-template-rows: 3.2em auto 1.6em; }
.cx-field > svg { display: block; grid-area: 1 / 1; height: auto; pointer-events: none; width: 100%; }
.cx-column .cx-field > svg { grid-row: 2; }
.cx-places { display: grid; inset: 0; position: absolute; }
.cx-column .cx-places { grid-template-columns: repeat(var(--columns), 1fr); }
.cx-cell .cx-places {
  grid-template: repeat(var(--rows), 1fr) / repeat(var(--columns), 1fr);
}
button {
  align-items: center;
  appearance: none;
  background: none;
  border: 0;
  border-radius: 8px;
  color: inherit;
  cursor: pointer;
  display: flex;
  flex-direction: column;
  font: inherit;
  justify-content: space-between;
  margin: 0;
  min-width: 0;
  outline-offset: -2px;
  overflow: hidden;
  padding: 0;
}
button[aria-disabled="true"] { cursor: default; }
button:focus-visible { outline: 3px solid var(--accent); }
.cx-cell button { justify-content: center; }
.cx-cell button:focus-visible { outline-color: var(--second); }
.cx-value {
  align-content: center;
  border-radius: 7px;
  display: grid;
  font-size: 0.93em;
  font-variant-numeric: tabular-nums;
  height: 2.95em;
  justify-items: center;
  margin-inline: 1px;
  min-width: calc(100% - 4px);
  padding-inline: 1px;
  white-space: nowrap;
}
.cx-value b { font-weight: 650; }
.cx-value i { font-size: 0.85em; font-style: normal; }
.cx-value[data-exact="false"] b, .cx-value[data-exact="false"] i { font-style: italic; }
.cx-value[data-exact="true"] { background: color-mix(in srgb, var(--text) 8%, var(--surface)); }
.cx-value[data-exact="false"] {
  box-shadow: inset 0 0 0 1px color-mix(in srgb, var(--text) 28%, transparent);
}
.cx-value[data-best="true"] { background: var(--accent); box-shadow: none; color: var(--surface); }
.cx-narrow .cx-value {
  font-size: 0.79em; height: 3.8em; line-height: 1; min-width: 0; writing-mode: vertical-rl;
}
.cx-narrow .cx-value.cx-single { writing-mode: horizontal-tb; }
.cx-narrow .cx-value[data-best="false"] { background: none; box-shadow: none; }
.cx-value i { display: none; }
.cx-wordy .cx-value i { display: block; }
.cx-cell .cx-value { background: var(--surface); height: auto; min-width: 0; padding: 0.3em 0.6em; }
.cx-cell .cx-value[data-best="true"] { background: var(--accent); }
.cx-number { color: var(--faint); font-size: 0.86em; line-height: 1.7; }
.cx-narrow .cx-number { font-size: 0.64em; line-height: 2.2; letter-spacing: -0.03em; }
.cx-cell .cx-number { height: auto; }
.cx-message { font-size: 1.07em; margin: 0.5em 0 0; min-height: 1.3em; text-align: center; text-wrap: balance; }
.cx-message:empty { display: none; }
.cx-hidden {
  clip-path: inset(50%); height: 1px; margin: 0; overflow: hidden; position: absolute;
  white-space: nowrap; width: 1px;
}
.front { fill: var(--frame); }
.back { fill: var(--hole); }
.rim { fill: none; stroke: var(--edge); stroke-opacity: 0.55; stroke-width: 3; }
.disc { stroke: var(--ink); stroke-opacity: 0.35; stroke-width: 3; }
.one .disc { fill: var(--first); }
.two .disc { fill: var(--second); }
.mark { fill: none; stroke: var(--ink); stroke-linecap: round; stroke-opacity: 0.72; stroke-width: 8; }
.last { fill: none; stroke: #fff; stroke-width: 6; }
.line { fill: none; stroke: var(--ink); stroke-width: 14; stroke-linecap: round; }
.line.inner { stroke: #fff; stroke-width: 7; }
.ghost { fill-opacity: 0; stroke: var(--accent); stroke-dasharray: 12 9; stroke-width: 6; }
.light { fill: #fff; fill-opacity: 0; }
.light.on { fill-opacity: 0.09; }
@media (forced-colors: active) {
  .cx-value[data-best="true"] { outline: 2px solid Highlight; }
}
`;

/**
 * @typedef {object} PlaceValue the worth of a move, in the view of the player to move
 * @property {string} text in words: "win in 9"
 * @property {string} short a sign: "+9"
 * @property {"win"|"loss"|"draw"|"unknown"} kind
 * @property {boolean} best
 * @property {boolean} exact
 * @property {number|null} [estimate] in (-1, 1), where it is not exact
 */

/**
 * @typedef {object} View all that the board shows
 * @property {number} rows
 * @property {number} columns
 * @property {"column"|"cell"} place the part of the board that a move names
 * @property {number[]} cells 0, 1 or 2; the top row first
 * @property {number[]} legal actions, counted from 0
 * @property {number[]} line the cells of a winning line
 * @property {number|null} last the cell of the last stone
 * @property {1|2} player to move
 * @property {boolean} over
 * @property {boolean} interactive whether a move may be made
 * @property {Object<number, PlaceValue>|null} values by action; null: none are wanted, so that they
 *   need no room
 * @property {string} [message] shown below the board, and read aloud when it changes
 */

/**
 * Create a board in an element.
 *
 * @param {HTMLElement} container the element that receives the board
 * @param {{onMove: (action: number) => void, label?: string}} options what to do when a move is
 *   chosen (its action, counted from 0), and the name that screen readers hear
 * @returns {{update: (view: View) => void, focus: () => void, destroy: () => void}}
 */
export function createBoard(container, { onMove, label = "Board" }) {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [styleSheet()];
  container.append(host);

  const parts = frame(root, label);
  const aloud = announcer(parts.live);
  let view = null;
  let current = 0; // the action whose button takes the focus

  const buttons = () => [...parts.places.children];
  const play = action => {
    if (view?.interactive && view.legal.includes(action)) onMove(action);
  };
  const light = action => showGhost(parts.svg, view, view?.interactive ? action : null);
  const select = action => {
    current = action;
    buttons().forEach((button, index) => { button.tabIndex = index === current ? 0 : -1; });
  };
  const actionOf = event => buttons().findIndex(button => event.composedPath().includes(button));

  parts.places.addEventListener("click", event => {
    const action = actionOf(event);
    if (action < 0) return;
    select(action);
    play(action);
  });
  parts.places.addEventListener("focusin", event => {
    select(actionOf(event));
    light(current);
  });
  parts.places.addEventListener("focusout", () => light(null));
  parts.places.addEventListener("pointerover", event => light(actionOf(event)));
  parts.places.addEventListener("pointerleave", () => light(null));
  host.addEventListener("keydown", event => {
    if (!view || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = arrowStep(event.key, view);
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
    if (!step && digit < 0) return;
    event.preventDefault();
    if (digit >= 0) play(digit);
    else buttons()[moved(current, step, view)].focus();
  });
  const watch = new ResizeObserver(() => view && fit(parts, view));
  watch.observe(host);

  return {
    update(next) {
      const before = view;
      view = next;
      const reshaped = !before || before.rows !== next.rows || before.columns !== next.columns
        || before.place !== next.place;
      if (reshaped) {
        layOut(parts, next);
        select(Math.floor((next.place === "column" ? next.columns : next.cells.length) / 2));
        fit(parts, next);
      }
      parts.board.classList.toggle("cx-valued", next.values !== null);
      drawStones(parts.svg, reshaped ? null : before, next);
      nameButtons(buttons(), next);
      parts.content.textContent = contentText(next);
      parts.message.textContent = next.message ?? "";
      light(null);
      aloud(reshaped ? null : before, next);
    },
    focus() {
      buttons()[current]?.focus();
    },
    destroy() {
      watch.disconnect();
      host.remove();
    },
  };
}

function styleSheet() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  return sheet;
}

function element(name, className, parent) {
  const made = document.createElement(name);
  if (className) made.className = className;
  parent?.append(made);
  return made;
}

function shape(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

/** The parts that stay as long as the board. */
function frame(root, label) {
  const board = element("div", "cx-board", root);
  const field = element("div", "cx-field", board);
  field.setAttribute("role", "group");
  field.setAttribute("aria-label", label);
  const svg = shape("svg", { "aria-hidden": "true", focusable: "false" }, field);
  const places = element("div", "cx-places", field);
  const content = element("p", "cx-hidden", board);
  const message = element("p", "cx-message", board);
  const live = element("p", "cx-hidden", board);
  live.setAttribute("aria-live", "polite");
  live.setAttribute("role", "status");
  return { board, svg, places, content, message, live };
}

/** Draw the empty board and a button for each place. */
function layOut({ board, svg, places }, { rows, columns, place }) {
  board.classList.remove("cx-column", "cx-cell");
  board.classList.add(`cx-${place}`);
  board.style.setProperty("--rows", rows);
  board.style.setProperty("--columns", columns);
  const width = columns * UNIT, height = rows * UNIT;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  const mask = shape("mask", { id: "holes" }, shape("defs", {}, svg));
  shape("rect", { width, height, fill: "#fff" }, mask);
  const round = { width, height, rx: 22 };
  shape("rect", { ...round, class: "back" }, svg);
  shape("g", { class: "stones" }, svg);
  shape("rect", { ...round, class: "front", mask: "url(#holes)" }, svg);
  for (let column = 0; column < columns; column++) {
    shape("rect", { x: column * UNIT, width: UNIT, height, class: "light" }, svg);
  }
  for (let cell = 0; cell < rows * columns; cell++) {
    const centre = centreOf(cell, columns);
    shape("circle", { ...centre, r: HOLE, fill: "#000" }, mask);
    shape("circle", { ...centre, r: HOLE, class: "rim" }, svg);
  }
  shape("g", { class: "above" }, svg);
  const count = place === "column" ? columns : rows * columns;
  places.replaceChildren(...Array.from({ length: count }, () => {
    const button = element("button");
    button.type = "button";
    return button;
  }));
}

function centreOf(cell, columns) {
  return {
    cx: (cell % columns) * UNIT + UNIT / 2,
    cy: Math.floor(cell / columns) * UNIT + UNIT / 2,
  };
}

/** Write values as the width of a cell allows. */
function fit({ board, places }, { columns }) {
  const pixels = places.clientWidth / columns;
  board.classList.toggle("cx-narrow", pixels < NARROW);
  board.classList.toggle("cx-wordy", pixels >= WORDY);
}

function drawStones(svg, before, view) {
  const stones = svg.querySelector(".stones");
  stones.replaceChildren();
  view.cells.forEach((player, cell) => {
    if (!player) return;
    const stone = drawStone(stones, cell, player, view.columns);
    if (cell === view.last && before && !before.cells[cell]) drop(stone, cell, view);
  });
  const above = svg.querySelector(".above");
  above.replaceChildren();
  if (view.last !== null && !view.line.length) {
    shape("circle", { ...centreOf(view.last, view.columns), r: STONE - 3, class: "last" }, above);
  }
  if (view.line.length) drawLine(above, view);
}

function drawStone(parent, cell, player, columns) {
  const group = shape("g", { class: `stone ${player === 1 ? "one" : "two"}` }, parent);
  const { cx, cy } = centreOf(cell, columns);
  shape("circle", { cx, cy, r: STONE, class: "disc" }, group);
  if (player === 1) {
    const d = `M${cx - 13} ${cy - 13}l26 26m0 -26l-26 26`;
    shape("path", { d, class: "mark" }, group);
  } else {
    shape("circle", { cx, cy, r: 16, class: "mark" }, group);
  }
  return group;
}

function drop(stone, cell, { columns, place }) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const height = (Math.floor(cell / columns) + 1) * UNIT;
  if (place === "cell") {
    stone.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 140 });
    return;
  }
  stone.animate(
    [
      { transform: `translateY(${-height}px)`, easing: "cubic-bezier(0.5, 0, 0.9, 0.6)" },
      { transform: "translateY(0)", offset: 0.8, easing: "ease-out" },
      { transform: `translateY(${-Math.min(14, height / 30)}px)`, offset: 0.9, easing: "ease-in" },
      { transform: "translateY(0)" },
    ],
    { duration: 190 + Math.sqrt(height) * 7 },
  );
}

/** Ring the stones of a winning line, and join the two that lie farthest apart. */
function drawLine(parent, { line, columns }) {
  const centres = line.map(cell => centreOf(cell, columns));
  for (const centre of centres) {
    shape("circle", { ...centre, r: STONE - 3, class: "last" }, parent);
  }
  const ordered = centres.toSorted((a, b) => a.cx - b.cx || a.cy - b.cy);
  const [from, to] = [ordered[0], ordered.at(-1)];
  const between = { x1: from.cx, y1: from.cy, x2: to.cx, y2: to.cy };
  shape("line", { ...between, class: "line" }, parent);
  shape("line", { ...between, class: "line inner" }, parent);
}

/** Show where a stone would land; `action` is null for nowhere. */
function showGhost(svg, view, action) {
  svg.querySelectorAll(".ghost").forEach(ghost => ghost.remove());
  const lit = view && action !== null && view.legal.includes(action);
  svg.querySelectorAll(".light").forEach((column, index) => {
    column.classList.toggle("on", Boolean(lit) && view.place === "column" && index === action);
  });
  if (!lit) return;
  const landing = view.place === "cell" ? action : lowestFree(view, action);
  const circle = { ...centreOf(landing, view.columns), r: STONE - 8, class: "ghost" };
  shape("circle", circle, svg.querySelector(".above"));
}

function lowestFree({ cells, rows, columns }, column) {
  let row = rows - 1;
  while (cells[row * columns + column]) row--;
  return row * columns + column;
}

function nameButtons(buttons, view) {
  buttons.forEach((button, action) => {
    const value = view.values?.[action];
    button.setAttribute("aria-label", placeName(view, action));
    button.setAttribute("aria-disabled", String(!view.interactive || !view.legal.includes(action)));
    button.replaceChildren();
    if (view.place === "column") {
      addValue(button, value);
      element("span", "cx-number", button).textContent = action + 1;
    } else if (value) {
      addValue(button, value);
    } else if (!view.cells[action]) {
      element("span", "cx-number", button).textContent = action + 1;
    }
  });
}

function addValue(button, value) {
  const chip = element("span", value ? "cx-value" : "", button); // an empty one keeps the number low
  if (!value) return;
  chip.classList.toggle("cx-single", value.short.length === 1);
  chip.dataset.best = String(value.best);
  chip.dataset.exact = String(value.exact);
  if (value.kind !== "unknown") element("i", "", chip).textContent = value.kind;
  element("b", "", chip).textContent = value.short;
}

function placeName(view, action) {
  const name = `${view.place === "column" ? "Column" : "Cell"} ${action + 1}`;
  const value = view.values?.[action];
  if (view.legal.includes(action) || view.over) return value ? `${name}, ${value.text}` : name;
  return `${name}, ${view.place === "column" ? "full" : `taken by ${MARKS[view.cells[action]]}`}`;
}

/** Tell the stones on the board, for those who do not see it. */
function contentText({ rows, columns, cells, place }) {
  const marks = cells.map(player => MARKS[player] || "empty");
  if (place === "cell") {
    const rowText = row => `Row ${row + 1}: ${marks.slice(row * columns, (row + 1) * columns).join(", ")}.`;
    return Array.from({ length: rows }, (_, row) => rowText(row)).join(" ");
  }
  const columnText = column => {
    const stones = Array.from({ length: rows }, (_, up) => marks[(rows - 1 - up) * columns + column])
      .filter(mark => mark !== "empty");
    return `Column ${column + 1}: ${stones.join(", ") || "empty"}.`;
  };
  return `Stones from the bottom up. ${Array.from({ length: columns }, (_, c) => columnText(c)).join(" ")}`;
}

/** Read moves and messages aloud at once, and values when they have settled. */
function announcer(live) {
  let timer = 0, values = "";
  const say = text => { if (text) live.textContent = text; };
  return (before, view) => {
    const move = before && view.last !== null && before.last !== view.last
      && !before.cells[view.last] ? moveText(view) : "";
    const message = before?.message === view.message ? "" : view.message ?? "";
    say([move, message].filter(Boolean).join(" "));
    const settled = valuesText(view);
    if (settled === values) return;
    values = settled;
    clearTimeout(timer);
    timer = setTimeout(() => say(values), SETTLED);
  };
}

function moveText({ cells, last, columns, place }) {
  const where = place === "column" ? `column ${(last % columns) + 1}` : `cell ${last + 1}`;
  return `${MARKS[cells[last]]} plays ${where}.`;
}

function valuesText(view) {
  const best = view.legal.filter(action => view.values?.[action]?.best);
  if (!best.length) return "";
  const place = view.place === "column" ? "column" : "cell";
  const names = best.map(action => `${place} ${action + 1}`).join(" or ");
  return `Best: ${names}, ${view.values[best[0]].text}.`;
}

function arrowStep(key, { columns, place }) {
  const steps = { ArrowLeft: -1, ArrowRight: 1 };
  if (place === "cell") Object.assign(steps, { ArrowUp: -columns, ArrowDown: columns });
  return steps[key] ?? 0;
}

function moved(action, step, { columns, cells, place }) {
  const count = place === "column" ? columns : cells.length;
  return (action + step + count) % count;
}
