/** The record of a game: its moves, what they were worth, and the mistakes. */

import { stream } from "./api.js";
import { createCurve, isGrave, MISTAKES } from "./curve.js";
import { byId, h, MARKS, showError } from "./dom.js";

/** The panel of the moves; the curve is there while values are wanted. */
export class Record {
  #judged = new Map(); // by the number of plies that have been played with the move
  #key = "";
  #source = null;
  #shown = null;
  #curve;
  #onPly;

  /** @param {(ply: number) => void} onPly what to do when a ply is chosen */
  constructor(onPly) {
    this.#onPly = onPly;
    this.#curve = createCurve(byId("curve"), onPly);
  }

  /**
   * Show a game and the ply that is looked at.
   *
   * @param {import("./game.js").Game} game
   * @param {boolean} judging whether the moves shall be judged
   */
  show(game, judging) {
    this.#shown = game;
    byId("curve").hidden = !judging;
    this.#follow(judging && game.plies ? game.end : null);
    this.#draw();
  }

  #follow(end) {
    const key = end ? `${end.game} ${end.moves}` : "";
    if (key === this.#key) return;
    const longer = end && this.#key && key.startsWith(this.#key);
    this.#key = key;
    this.#source?.close();
    this.#source = null;
    if (!longer) this.#judged = new Map();
    showError(byId("record-error"), "");
    byId("record-state").textContent = end ? "Judging the moves…" : "";
    if (!end) return;
    this.#source = stream("review", { game: end.game, moves: end.moves }, snapshot => {
      this.#judged = new Map(snapshot.plies.map(judgement => [judgement.ply + 1, judgement]));
      byId("record-state").textContent = snapshot.done ? this.#total() : "Judging the moves…";
      this.#draw();
    }, sentence => {
      byId("record-state").textContent = "";
      showError(byId("record-error"), sentence);
    });
  }

  #total() {
    const grave = player => [...this.#judged.values()]
      .filter(judgement => judgement.player === player && isGrave(judgement.mistake)).length;
    const [first, second] = [grave(1), grave(2)];
    if (!first && !second) return "No mistake has changed the result.";
    return `Mistakes that changed the result: ${first} by X, ${second} by O.`;
  }

  #draw() {
    const { end, ply, plies } = this.#shown;
    const text = plyText(end, ply, this.#judged.get(ply));
    this.#curve.update(plies, ply, this.#judged, text);
    byId("ply-text").textContent = text;
    drawMoves(end, ply, this.#judged, this.#onPly);
  }
}

function plyText(end, ply, judgement) {
  if (!ply) return end.actions.length ? "The start of the game." : "No move has been made.";
  const move = `${ply}. ${MARKS[1 + ((ply - 1) % 2)]} plays ${end.place} ${end.actions[ply - 1] + 1}`;
  if (!judgement) return `${move}.`;
  const worth = judgement.text ? `: ${judgement.text}` : "";
  if (!judgement.mistake) return `${move}${worth}.`;
  const best = judgement.best.map(action => action + 1).join(" or ");
  return `${move}${worth}. It ${MISTAKES[judgement.mistake].words}; best: ${best}.`;
}

/** Draw the list of the moves; buttons that are there keep their place, and the focus. */
function drawMoves({ actions, place }, ply, judged, onPly) {
  const list = byId("moves");
  while (list.children.length > actions.length + 1) list.lastElementChild.remove();
  while (list.children.length < actions.length + 1) list.append(moveItem(list.children.length, onPly));
  [...list.children].forEach((item, at) => {
    const button = item.firstElementChild;
    button.setAttribute("aria-current", at === ply ? "step" : "false");
    if (!at) return;
    const mistake = judged.get(at)?.mistake ?? null;
    const grave = isGrave(mistake);
    const player = MARKS[1 + ((at - 1) % 2)];
    button.dataset.mistake = String(grave);
    button.setAttribute("aria-label",
      `${at}. ${player}, ${place} ${actions[at - 1] + 1}${grave ? `, ${MISTAKES[mistake].words}` : ""}`);
    const sign = grave ? MISTAKES[mistake].sign : "";
    button.replaceChildren(
      h("small", {}, player), String(actions[at - 1] + 1), sign ? h("b", {}, sign) : "");
  });
  const current = list.children[ply];
  if (list.scrollHeight > list.clientHeight) {
    list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }
}

function moveItem(ply, onPly) {
  const button = h("button", { type: "button", onclick: () => onPly(ply) }, ply ? "" : "start");
  return h("li", {}, button);
}
