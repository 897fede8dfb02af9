/** The values of moves: the stream of values for the position on the board, and its panel. */

import { stream } from "./api.js";
import { bestName } from "./board_words.js";
import { byId, h, MARKS, showError, signed, SIGNS } from "./dom.js";

const PHASES = { solving: "Solving…", estimating: "Estimating…", preparing: "Preparing…", "setting a trap": "" };

/** Follows the values of one position at a time. */
export class Values {
  /** @type {Object<number, object>|null} the values by action in the followed position */
  byAction = null;
  /** @type {number|null} see the board's view */
  balance = null;
  #key = "";
  #source = null;
  #onChange;

  /** @param {() => void} onChange called when there are new values */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /** Follow the values of a position, or of none; nothing changes for the same position. */
  follow(position) {
    const key = position ? `${position.game} ${position.moves}` : "";
    if (key === this.#key) return;
    this.#key = key;
    this.#source?.close();
    this.#source = null;
    this.byAction = null;
    this.balance = position?.winner ? { 1: 1, 2: -1 }[position.winner] : null;
    showError(byId("values-error"), "");
    byId("values-list").replaceChildren();
    document.querySelector(".panels").style.setProperty("--count", position?.legal.length ?? 0);
    byId("values-list").ariaBusy = String(Boolean(position && !position.over));
    byId("values-state").textContent = position?.over ? "The game is over." : "";
    if (!position || position.over) return;
    const { game, moves } = position;
    byId("values-state").textContent = PHASES.solving;
    this.#source = stream("values", { game, moves }, snapshot => this.#show(snapshot, position),
      sentence => {
        byId("values-state").textContent = "";
        showError(byId("values-error"), sentence);
      });
  }

  #show(snapshot, position) {
    const columns = snapshot.columns.map(value => ({ ...value, trap: value.action === snapshot.trap }));
    this.byAction = Object.fromEntries(columns.map(value => [value.action, value]));
    this.balance = snapshot.position.balance ?? null;
    const rows = columns.map(value => valueRow(value, position.place));
    byId("values-list").replaceChildren(...rows);
    byId("values-list").ariaBusy = String(!snapshot.done && snapshot.phase !== "setting a trap");
    byId("values-state").textContent = stateText(snapshot);
    this.#onChange();
  }
}

function stateText({ position, player, phase, done }) {
  return `${MARKS[player]} to move: ${position.text}. ${done ? "" : PHASES[phase]}`.trim();
}

function valueRow(value, place) {
  return h(
    "li",
    { class: "value", "data-exact": value.exact, "data-best": value.best, "data-kind": value.kind },
    h("span", { class: "place" }, h("span", { class: "hidden" }, `${place} `), String(value.action + 1)),
    h("b", { class: "sign", "aria-hidden": "true" }, SIGNS[value.kind]),
    h("span", { class: "words" }, value.text, ...(bestName(value) ? [" ", h("em", {}, bestName(value))] : [])),
    h("span", { class: "how" }, howText(value), value.estimate === null ? null : estimateBar(value.estimate)),
  );
}

function howText({ exact, least, most }) {
  return !exact && (least > -1 || most < 1) ? "proven so far" : "";
}

function estimateBar(estimate) {
  const bar = h("i", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--from", `${50 + Math.min(estimate, 0) * 50}%`);
  bar.style.setProperty("--share", `${Math.abs(estimate) * 50}%`);
  return h("span", { class: "estimate" }, bar, `estimate ${signed(estimate)}`);
}
