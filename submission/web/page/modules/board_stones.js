/** The stones on a board, and the frame around them, as SVG. */

import { svg } from "./dom.js";
import { landing } from "./position.js";

const UNIT = 100; // units of the drawing per cell
const STONE = 41;
const HOLE = 40;
const ABOVE = 62; // units above the columns, where a stone hovers before it falls
const BELOW = 7; // units of the board's edge below it

/** Add a shape to a parent. */
function shape(name, attributes, parent) {
  const made = svg(name, attributes);
  parent.append(made);
  return made;
}

/** Draw the board without stones. @returns {number} its height in cells */
export function drawEmpty(drawing, { rows, columns, place }) {
  const width = columns * UNIT, height = rows * UNIT, above = place === "column" ? ABOVE : 0;
  drawing.setAttribute("viewBox", `0 ${-above} ${width} ${height + above + BELOW}`);
  drawing.replaceChildren();
  const mask = shape("mask", { id: "holes" }, shape("defs", {}, drawing));
  shape("rect", { width, height, y: BELOW, rx: 26, class: "under" }, drawing);
  shape("rect", { width, height, fill: "#fff" }, mask);
  shape("rect", { x: 2, y: 2, width: width - 4, height: height - 4, rx: 24, class: "back" }, drawing);
  shape("g", { class: "hovering" }, drawing);
  shape("g", { class: "stones" }, drawing);
  shape("rect", { width, height, rx: 26, class: "front", mask: "url(#holes)" }, drawing);
  const lights = shape("g", { mask: "url(#holes)" }, drawing);
  for (let column = 0; place === "column" && column < columns; column++) {
    shape("rect", { x: column * UNIT + 3, y: 6, width: UNIT - 6, height: height - 12, rx: 18, class: "light" }, lights);
  }
  for (let cell = 0; cell < rows * columns; cell++) {
    const centre = centreOf(cell, columns);
    shape("circle", { ...centre, r: HOLE, fill: "#000" }, mask);
    shape("circle", { ...centre, r: HOLE, class: "rim" }, drawing);
  }
  shape("g", { class: "above" }, drawing);
  return rows + (above + BELOW) / UNIT;
}

function centreOf(cell, columns) {
  return {
    cx: (cell % columns) * UNIT + UNIT / 2,
    cy: Math.floor(cell / columns) * UNIT + UNIT / 2,
  };
}

/** Draw the stones; a new one falls, unless `before` is null, and one that is falling continues. */
export function drawStones(drawing, before, view) {
  const isSame = before?.last === view.last && String(before.cells) === String(view.cells);
  if (isSame && before.line.length === view.line.length) return;
  const stones = drawing.querySelector(".stones");
  const filled = view.cells.flatMap((player, cell) => (player ? cell : []));
  if (!isSame) {
    stones.replaceChildren();
    for (const cell of filled) {
      const stone = drawStone(stones, cell, view.cells[cell], view.columns);
      if (cell === view.last && before && !before.cells[cell]) drop(stone, cell, view);
    }
  }
  stones.classList.toggle("over", view.line.length > 0);
  filled.forEach((cell, at) => stones.children[at].classList.toggle("won", view.line.includes(cell)));
  const above = drawing.querySelector(".above");
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
  shape("circle", { cx, cy, r: STONE - 10, class: "relief" }, group);
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
  const height = Math.floor(cell / columns) * UNIT + UNIT - 38 + UNIT / 2;
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

/** Ring the stones of a winning line, and connect the two that are farthest apart. */
function drawLine(parent, { line, columns }) {
  const centres = line.map(cell => centreOf(cell, columns));
  for (const centre of centres) {
    shape("circle", { ...centre, r: STONE - 3, class: "last" }, parent);
  }
  const ordered = centres.toSorted((a, b) => a.cx - b.cx || a.cy - b.cy);
  const [from, to] = [ordered[0], ordered.at(-1)];
  const between = { x1: from.cx, y1: from.cy, x2: to.cx, y2: to.cy, pathLength: 100 };
  shape("line", { ...between, class: "line" }, parent);
  shape("line", { ...between, class: "line inner" }, parent);
}

/** Let a stone hover over its column, and show where it would land; null removes it. */
export function showGhost(drawing, view, action) {
  drawing.querySelectorAll(".ghost").forEach(ghost => ghost.remove());
  drawing.querySelector(".hovering")?.replaceChildren();
  const lit = view && action !== null && view.legal.includes(action);
  drawing.querySelectorAll(".light").forEach((column, index) => {
    column.classList.toggle("on", Boolean(lit) && index === action);
  });
  if (!lit) return;
  if (view.place === "column") {
    const stone = drawStone(drawing.querySelector(".hovering"), action, view.player, view.columns);
    stone.classList.remove("stone"); // it is not a stone on the board
    stone.setAttribute("transform", `translate(0 ${-UNIT + 38})`);
  }
  const circle = { ...centreOf(landing(view, action), view.columns), r: STONE - 8, class: "ghost" };
  shape("circle", circle, drawing.querySelector(".above"));
}
