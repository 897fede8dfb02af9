/** The curve of a game's value: a slider over its plies, with the mistakes marked. */

import { h, svg } from "./dom.js";

const HEIGHT = 120;
const WIDTH = 400;
const MIDDLE = HEIGHT / 2;
const REACH = MIDDLE - 12; // from the middle to a certain win

/** How a mistake is told, and the sign at its move. */
export const MISTAKES = {
  "win-to-loss": { sign: "??", words: "turns a win into a loss" },
  "win-to-draw": { sign: "?", words: "gives a win away for a draw" },
  "draw-to-loss": { sign: "?", words: "gives a draw away" },
  slower: { sign: "–", words: "keeps the result, but not the best distance" },
};

/** @param {string|null} mistake @returns {boolean} whether it has changed the result */
export function isGrave(mistake) {
  return mistake !== null && mistake !== "slower";
}

/**
 * Create the curve in an element.
 *
 * @param {HTMLElement} container
 * @param {(ply: number) => void} onPly what to do when a ply is chosen
 * @returns {{update: (plies: number, ply: number, judged: Map<number, object>, text: string) => void}}
 *   `judged` holds judgements as /api/review tells them, whose `ply` counts those before the move
 */
export function createCurve(container, onPly) {
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
  slider.addEventListener("keydown", event => {
    const steps = { ArrowLeft: ply - 1, ArrowDown: ply - 1, ArrowRight: ply + 1, ArrowUp: ply + 1, Home: 0, End: plies };
    if (!(event.key in steps)) return;
    event.preventDefault();
    onPly(steps[event.key]);
  });

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
    ...runs(points).flatMap(run => [area(run, plies), line(run, plies)]),
    svg("line", { x1: across(ply, plies), x2: across(ply, plies), y1: 0, y2: HEIGHT, class: "here" }),
  );
}

/** The stretches of the game whose values are known. */
function runs(points) {
  const found = [];
  for (const point of points) {
    const run = found.at(-1);
    if (run && run.at(-1).ply === point.ply - 1) run.push(point);
    else found.push([point]);
  }
  return found;
}

/** Each value holds from its move to the next: a step. */
function steps(run, plies) {
  const first = run[0];
  return `M${across(first.ply, plies)} ${up(first.value)}` + run.map(({ ply, value }) =>
    `V${up(value)}H${across(ply + 1, plies)}`).join("");
}

function line(run, plies) {
  return svg("path", { d: steps(run, plies), class: "course" });
}

function area(run, plies) {
  const end = `V${MIDDLE}H${across(run[0].ply, plies)}Z`;
  return svg("path", { d: steps(run, plies) + end, class: "area" });
}

function mistakeMark({ ply, player, value, mistake }, plies) {
  const mark = h("span", { class: `mistake by-${player}` }, MISTAKES[mistake].sign);
  mark.style.left = `${((ply + 0.5) / plies) * 100}%`;
  mark.style.top = `${(up(value ?? 0) / HEIGHT) * 100}%`;
  return mark;
}
