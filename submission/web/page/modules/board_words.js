/** Describes a board in words, for screen readers, and names outstanding moves. */

import { MARKS } from "./dom.js";

const SETTLED = 700; // milliseconds after which values that have not changed are read aloud

/** The name of an outstanding move, or "": in a lost position none is best. */
export function bestName({ best, kind, trap }) {
  const name = best ? { win: "best", draw: "keeps the draw", loss: "resists longest" }[kind] ?? "best" : "";
  return [name, trap ? "best trap" : ""].filter(Boolean).join(", ");
}

/** Whose turn it is, or how the game ended. */
export function turnText({ over, winner, player }) {
  if (over) return winner ? `${MARKS[winner]} wins.` : "A draw.";
  return `${MARKS[player]} to move.`;
}

/** The name of a place, with the value of a move there. */
export function placeName(view, action) {
  const name = `${view.place === "column" ? "Column" : "Cell"} ${action + 1}`;
  const value = view.values?.[action];
  if (view.legal.includes(action) || view.over) {
    return [name, value?.text, value?.trap && "best trap"].filter(Boolean).join(", ");
  }
  return `${name}, ${view.place === "column" ? "full" : `taken by ${MARKS[view.cells[action]]}`}`;
}

/** The stones on the board in words. */
export function contentText({ rows, columns, cells, place }) {
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
export function announcer(live) {
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
  const { text, kind } = view.values[best[0]];
  const trap = view.legal.find(action => view.values[action].trap);
  return `${kind === "loss" ? "Resists longest" : "Best"}: ${names}, ${text}.${trap === undefined ? "" : ` Best trap: ${place} ${trap + 1}.`}`;
}
