/** What each move is worth: the stream of values for the position on the board, and its panel. */

import { stream } from "./api.js";
import { byId, h, showError } from "./dom.js";
import { signed } from "./seats.js";

const PHASES = { solving: "Solving…", estimating: "Estimating…", preparing: "Preparing…" };

/** Follows the values of one position at a time. */
export class Values {
  /** @type {Object<number, object>|null} the values by action, of the position that is followed */
  byAction = null;
  #key = "";
  #source = null;
  #onChange;

  /** @param {() => void} onChange called when there are new values */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /**
   * Follow the values of a position; the same position goes on.
   *
   * @param {import("./game.js").Position|null} position null: of none
   */
  follow(position) {
    const key = position ? `${position.game} ${position.moves}` : "";
    if (key === this.#key) return;
    this.#key = key;
    this.#source?.close();
    this.#source = null;
    this.byAction = null;
    showError(byId("values-error"), "");
    byId("values-list").replaceChildren();
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
    this.byAction = Object.fromEntries(snapshot.columns.map(value => [value.action, value]));
    const rows = snapshot.columns.map(value => valueRow(value, position.place));
    byId("values-list").replaceChildren(...rows);
    byId("values-state").textContent = stateText(snapshot);
    this.#onChange();
  }
}

function stateText({ position, phase, done }) {
  const mover = position.text.charAt(0).toUpperCase() + position.text.slice(1);
  return done ? `${mover} for the player to move.` : `${mover} so far. ${PHASES[phase] ?? ""}`;
}

function valueRow(value, place) {
  const how = value.exact ? "exact" : value.kind === "unknown" && value.plies === null
    ? "so far" : "proven so far";
  return h(
    "li",
    { class: "value", "data-exact": value.exact, "data-best": value.best },
    h("span", { class: "place" }, h("span", { class: "hidden" }, `${place} `), String(value.action + 1)),
    h("b", { class: "sign", "aria-hidden": "true" }, value.short),
    h("span", { class: "words" }, value.text, value.best ? h("em", {}, " best") : null),
    h("span", { class: "how" }, value.exact || value.estimate === null ? how : estimateBar(value.estimate)),
  );
}

function estimateBar(estimate) {
  const bar = h("i", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--from", `${50 + Math.min(estimate, 0) * 50}%`);
  bar.style.setProperty("--share", `${Math.abs(estimate) * 50}%`);
  return h("span", { class: "estimate" }, bar, `estimate ${signed(estimate)}`);
}
