/** The record of a game: its moves, their values, the mistakes, and a curve of the values. */

import { stream } from "./api.js";
import { byId, h, MARKS, showError, svg } from "./dom.js";

const HEIGHT = 120;
const WIDTH = 400;
const MIDDLE = HEIGHT / 2;
const REACH = MIDDLE - 12; // from the middle to a certain win

/** The words for a mistake, and the sign at its move. */
const MISTAKES = {
  "win-to-loss": { sign: "??", words: "turns a win into a loss" },
  "win-to-draw": { sign: "?", words: "gives a win away for a draw" },
  "draw-to-loss": { sign: "?", words: "gives a draw away" },
  slower: { sign: "–", words: "keeps the result, but not the best distance" },
};

/** The panel of the moves, with the curve while values are wanted. */
export class Record {
  #judged = new Map(); // by the number of plies played, including the judged move
  #key = "";
  #source = null;
  #shown = null;
  #opening = 0;
  #curve;
  #onPly;
  #onJudged;

  /** `onPly` takes a chosen ply; `onJudged` is called when all moves are judged. */
  constructor(onPly, onJudged = () => {}) {
    this.#onJudged = onJudged;
    this.#onPly = onPly;
    this.#curve = createCurve(byId("curve"), onPly);
    byId("moves").addEventListener("keydown", event => {
      if (!takeStep(event, { ArrowUp: -1, ArrowDown: 1 }, this.#shown.ply, onPly)) return;
      byId("moves").querySelector("[tabindex='0']").focus();
    });
  }

  /** Show a game and the viewed ply; plies of the opening, which no player chose, are no mistakes. */
  show(game, judging, opening = 0) {
    this.#shown = game;
    this.#opening = opening;
    const isResized = byId("curve").hidden === judging;
    byId("curve").hidden = !judging;
    this.#follow(judging && game.plies ? game.end : null);
    this.#draw();
    if (isResized) showCurrent(game.ply);
  }

  #follow(end) {
    const key = end ? `${end.game} ${end.actions},` : "";
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
      this.#judge(snapshot);
      byId("record-state").textContent = snapshot.done ? this.#total() : "Judging the moves…";
      this.#draw();
      if (snapshot.done) this.#onJudged();
    }, sentence => {
      byId("record-state").textContent = "";
      showError(byId("record-error"), sentence);
    });
  }

  /** Take the judgements of a snapshot, but keep final ones of the same moves from a shorter game. */
  #judge({ plies, done }) {
    const told = plies.map(judgement =>
      [judgement.ply + 1, judgement.ply < this.#opening ? { ...judgement, mistake: null } : judgement]);
    const final = done ? [] : [...this.#judged].filter(([, { columns }]) => columns);
    this.#judged = new Map([...told, ...final].sort(([one], [other]) => one - other));
  }

  #total() {
    const grave = player => [...this.#judged.values()]
      .filter(judgement => judgement.player === player && isGrave(judgement.mistake)).length;
    const [first, second] = [grave(1), grave(2)];
    if (!first && !second) return `No mistake${this.#opening ? " after the opening" : ""} has changed the result.`;
    return `Mistakes that changed the result: ${first} by X, ${second} by O.`;
  }

  /** The mistakes that have changed the result, in the order of the game. */
  get mistakes() {
    return [...this.#judged.values()].filter(({ mistake, columns }) => columns && isGrave(mistake));
  }

  #draw() {
    const { end, ply, plies } = this.#shown;
    const text = plyText(end, ply, this.#judged.get(ply));
    byId("record")?.classList.toggle("empty", !plies);
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

/** Draw the list of the moves; existing buttons keep their place and the focus. */
function drawMoves({ actions, place }, ply, judged, onPly) {
  const list = byId("moves");
  while (list.children.length > actions.length + 1) list.lastElementChild.remove();
  while (list.children.length < actions.length + 1) list.append(moveItem(list.children.length, onPly));
  const isNew = list.children[ply].firstElementChild.getAttribute("aria-current") !== "step";
  [...list.children].forEach((item, at) => {
    const button = item.firstElementChild;
    button.setAttribute("aria-current", at === ply ? "step" : "false");
    button.tabIndex = at === ply ? 0 : -1; // the arrow keys lead to the others
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
  if (isNew) showCurrent(ply);
}

/** Scroll only the list of the moves, to the viewed one. */
function showCurrent(ply) {
  const list = byId("moves"), { offsetTop, offsetLeft, offsetHeight, offsetWidth } = list.children[ply];
  list.scrollTo(offsetLeft - (list.clientWidth - offsetWidth) / 2, offsetTop - (list.clientHeight - offsetHeight) / 2);
}

function moveItem(ply, onPly) {
  const button = h("button", { type: "button", onclick: () => onPly(ply), "aria-label": ply ? null : "The start" }, ply ? "" : "start");
  return h("li", {}, button);
}

/** Go from a ply to the one that a key leads to. @returns {boolean} whether the key has a meaning here */
function takeStep(event, upAndDown, ply, onPly) {
  const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity, ...upAndDown }[event.key];
  if (!by || event.altKey || event.ctrlKey || event.metaKey) return false;
  event.preventDefault();
  onPly(ply + by);
  return true;
}

/** @param {string|null} mistake @returns {boolean} whether it changed the result */
export function isGrave(mistake) {
  return mistake !== null && mistake !== "slower";
}

/** Create the curve in an element. `judged` has judgements by the number of plies, including the judged move. */
function createCurve(container, onPly) {
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true",
  });
  const marks = h("div", { class: "curve-marks", "aria-hidden": "true" });
  const slider = h(
    "div",
    { class: "curve-slider", role: "slider", tabIndex: 0, "aria-label": "Ply of the game", "aria-valuemin": 0 },
    picture,
    marks,
  );
  container.append(
    h("div", { class: "curve-names", "aria-hidden": "true" }, h("span", {}, "X wins"), h("span", {}, "draw"), h("span", {}, "O wins")),
    slider,
  );
  let plies = 0, ply = 0;
  const choose = event => {
    const box = slider.getBoundingClientRect();
    onPly(Math.round(((event.clientX - box.left) / box.width) * plies));
  };
  slider.addEventListener("pointerdown", event => {
    slider.setPointerCapture(event.pointerId);
    choose(event);
  });
  slider.addEventListener("pointermove", event => event.buttons && choose(event));
  slider.addEventListener("keydown", event => takeStep(event, { ArrowDown: -1, ArrowUp: 1 }, ply, onPly));

  return {
    update(count, at, judged, text) {
      plies = count;
      ply = at;
      slider.setAttribute("aria-valuemax", plies);
      slider.setAttribute("aria-valuenow", ply);
      slider.setAttribute("aria-valuetext", text);
      draw(picture, plies, ply, judged);
      marks.replaceChildren(...[...judged.values()].filter(({ mistake }) => isGrave(mistake))
        .map(judgement => mistakeMark(judgement, plies)));
    },
  };
}

function across(ply, plies) {
  return plies ? (ply / plies) * WIDTH : 0;
}

function up(value) {
  return MIDDLE - value * REACH;
}

function draw(picture, plies, ply, judged) {
  const points = [...judged.values()].filter(({ value }) => value !== null);
  picture.replaceChildren(
    ...[-1, 0, 1].map(value =>
      svg("line", { x1: 0, x2: WIDTH, y1: up(value), y2: up(value), class: value ? "limit" : "zero" })),
    ...runs(points).flatMap(run => [
      svg("path", { d: `${steps(run, plies)}V${MIDDLE}H${across(run[0].ply, plies)}Z`, class: "area" }),
      svg("path", { d: steps(run, plies), class: "course" }),
    ]),
    svg("line", { x1: across(ply, plies), x2: across(ply, plies), y1: 0, y2: HEIGHT, class: "here" }),
  );
}

/** The runs of consecutive plies whose values are known. */
function runs(points) {
  const found = [];
  for (const point of points) {
    const run = found.at(-1);
    if (run && run.at(-1).ply === point.ply - 1) run.push(point);
    else found.push([point]);
  }
  return found;
}

/** The path of a run: each value holds from its move to the next. */
function steps(run, plies) {
  const first = run[0];
  return `M${across(first.ply, plies)} ${up(first.value)}` + run.map(({ ply, value }) =>
    `V${up(value)}H${across(ply + 1, plies)}`).join("");
}

function mistakeMark({ ply, player, value, mistake }, plies) {
  const mark = h("span", { class: `mistake by-${player}` }, MISTAKES[mistake].sign);
  mark.style.left = `${((ply + 0.5) / plies) * 100}%`;
  mark.style.top = `${(up(value ?? 0) / HEIGHT) * 100}%`;
  return mark;
}
