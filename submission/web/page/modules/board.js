/**
 * A board to look at and to play on, in the page of `connectx web`, in a saved page and in a notebook.
 *
 * It has its own shadow root, which the styles of the page around it do not reach; colours are taken
 * from the custom properties `--cx-...`, or else follow the surrounding `color-scheme`.
 */

import { drawEmpty, drawStones, showGhost } from "./board_stones.js";
import { STYLE } from "./board_style.js";
import { announcer, contentText, placeName } from "./board_words.js";
import { h, SIGNS, svg } from "./dom.js";

const NARROW = 40; // pixels of a cell below which a value is only its sign
const ROOMY = 70; // pixels from which its words are in one line

/**
 * @typedef {object} View all that the board shows: a `Position` of game.js, and
 *   interactive   whether a move may be made
 *   values        the values of moves for the player to move, by action; null: no values are wanted
 *   balance       who wins, and how certainly: from 1, player 1, to -1, player 2; null: unknown
 *   message       shown above the board, and read aloud when it changes
 *   isPending     whether the last stone waits for the server; it is read aloud only afterwards
 *
 * A value has its `text`, such as "wins in 5 moves", and `short`, "win · 5"; its `kind` is "win", "loss", "draw" or
 * "unknown"; a `trap` is a move after which a likely opponent errs, in a lost position.
 */

/** Create a board in an element; `onMove` takes the action, counted from 0; `label` is for screen readers. */
export function createBoard(container, { onMove, label = "Board" }) {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  container.append(host);

  const parts = frame(root, label);
  const aloud = announcer(parts.live);
  let view = null;
  let told = null; // the view that was read aloud
  let current = 0; // the action whose button takes the focus
  let lit = null; // the action over which a stone hovers

  const buttons = () => [...parts.places.children];
  const play = action => {
    if (view?.interactive && view.legal.includes(action)) onMove(action);
    else if (view?.interactive) refuse(parts, buttons()[action], view, action);
  };
  const light = action => {
    lit = action;
    showGhost(parts.drawing, view, view?.interactive ? action : null);
  };
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
    if (event.target.matches(":focus-visible")) light(current); // but not after a tap
  });
  parts.places.addEventListener("focusout", () => light(null));
  parts.places.addEventListener("pointerover", event => light(actionOf(event)));
  parts.places.addEventListener("pointerleave", () => light(null));
  host.addEventListener("keydown", event => {
    if (!view || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = arrowStep(event.key, view);
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
    if (!step && !digit) return;
    event.preventDefault();
    if (step) buttons()[moved(current, step, view)].focus();
    else if (digit <= buttons().length) play(digit - 1);
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
      drawValues(parts, next);
      drawStones(parts.drawing, reshaped ? null : before, next);
      nameButtons(buttons(), next);
      parts.content.textContent = contentText(next);
      parts.message.textContent = next.message ?? "";
      if (next.over && !next.winner) delete parts.message.dataset.player;
      else parts.message.dataset.player = next.winner ?? next.player;
      light(reshaped ? null : lit);
      parts.board.classList.toggle("cx-pending", Boolean(next.isPending));
      if (next.isPending) return;
      aloud(reshaped ? null : told, next);
      told = next;
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

/** Create the permanent parts of the board. */
function frame(root, label) {
  const drawing = svg("svg", { "aria-hidden": "true", focusable: "false" });
  const bar = h("div", { class: "cx-bar", "aria-hidden": "true" });
  const places = h("div", { class: "cx-places" });
  const message = h("p", { class: "cx-message" });
  const content = h("p", { class: "cx-hidden" });
  const live = h("p", { class: "cx-hidden", "aria-live": "polite", role: "status" });
  const field = h("div", { class: "cx-field", role: "group", "aria-label": label }, drawing, bar, places);
  const board = h("div", { class: "cx-board" }, message, field, content, live);
  root.append(board);
  return { board, drawing, bar, places, content, message, live };
}

/** Draw the empty board and a button for each place. */
function layOut({ board, drawing, places }, view) {
  const { rows, columns, place } = view;
  board.classList.remove("cx-column", "cx-cell");
  board.classList.add(`cx-${place}`);
  board.style.setProperty("--rows", rows);
  board.style.setProperty("--columns", columns);
  board.style.setProperty("--high", drawEmpty(drawing, view));
  const count = place === "column" ? columns : rows * columns;
  places.replaceChildren(...Array.from({ length: count }, () => h("button", { type: "button" })));
}

/** Show values in the form that fits the width of a cell. */
function fit({ board, places }, { columns }) {
  const pixels = places.clientWidth / columns;
  board.classList.toggle("cx-narrow", pixels < NARROW);
  board.classList.toggle("cx-roomy", pixels >= ROOMY);
}

/** Colour the columns and fill the bar by the values of the moves. */
function drawValues({ drawing, bar }, { values, balance }) {
  drawing.querySelectorAll(".light").forEach((light, action) => {
    const value = values?.[action];
    for (const name of ["kind", "best"]) {
      if (value && value.kind !== "unknown") light.dataset[name] = String(value[name]);
      else delete light.dataset[name];
    }
  });
  const known = typeof balance === "number";
  bar.classList.toggle("cx-known", known);
  if (known) bar.style.setProperty("--share", `${50 + balance * 50}%`);
}

/** Show and announce that a move is impossible there. */
function refuse({ live }, button, view, action) {
  live.textContent = `${placeName(view, action)}.`;
  button.classList.remove("cx-full");
  void button.offsetWidth; // restarts the animation
  button.classList.add("cx-full");
  button.addEventListener("animationend", () => button.classList.remove("cx-full"), { once: true });
}

function nameButtons(buttons, view) {
  buttons.forEach((button, action) => {
    const value = view.values?.[action];
    button.setAttribute("aria-label", placeName(view, action));
    button.setAttribute("aria-disabled", String(!view.interactive || !view.legal.includes(action)));
    const isNumbered = view.place === "column" || (!value && !view.cells[action]);
    button.replaceChildren(h(
      "span",
      { class: "cx-foot" },
      isNumbered ? h("span", { class: "cx-number" }, String(action + 1)) : null,
      value ? chipOf(value) : null,
    ));
  });
}

/** A value as its sign and, if it is known, its words. */
function chipOf({ kind, best, exact, trap, short }) {
  const [word, moves] = short.split(" · ");
  const words = h("b", {}, h("span", {}, word), ...(moves ? [" · ", h("span", {}, moves)] : []));
  return h(
    "span",
    { class: "cx-value", "data-kind": kind, "data-best": best, "data-exact": exact, "data-trap": trap },
    h("i", {}, SIGNS[kind]),
    kind === "unknown" ? null : words,
  );
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
