/** A saved page: a game, or several to choose from, with the values of the moves. */

import { games } from "./api.js";
import { createBoard } from "./board.js";
import { turnText } from "./board_words.js";
import { byId, h, stone } from "./dom.js";
import { positionAt } from "./position.js";
import { Record } from "./record.js";

let game, ply;
const board = createBoard(byId("board"), { onMove: () => {}, label: "Board" });
const record = new Record(chosen => goTo(chosen));

function open(number) {
  game = games[number];
  ply = game.end.actions.length;
  const names = game.players.map((name, index) => h("span", {}, stone(index + 1), name));
  byId("players").replaceChildren(...names);
  byId("course").textContent = `${game.end.title}. ${game.course}`;
  document.title = `${game.players.join(" – ")} · connectx`;
  show();
}

function goTo(chosen) {
  ply = Math.max(0, Math.min(chosen, game.end.actions.length));
  show();
}

function show() {
  const { end, opening } = game;
  board.update(shownAt(ply));
  record.show({ end, ply, plies: end.actions.length }, game.plies.length > 0, opening);
  for (const id of ["first", "back"]) byId(id).disabled = ply === 0;
  for (const id of ["next", "last"]) byId(id).disabled = ply === end.actions.length;
}

/** The view of the board after this number of plies. */
function shownAt(at) {
  const { end, plies, course } = game;
  const judged = plies.find(judgement => judgement.ply === at);
  const position = at === end.actions.length ? end : positionAt(end, at);
  return {
    ...position, interactive: false, balance: plies.find(judgement => judgement.ply === at - 1)?.value ?? null,
    values: judged ? valuesOf(judged, game) : plies.length ? {} : null,
    message: position === end ? course : turnText(position),
  };
}

function valuesOf({ columns }, { keys, values }) {
  return Object.fromEntries(columns.map(([action, number]) =>
    [action, Object.fromEntries(keys.map((key, index) => [key, values[number][index]]))]));
}

games.forEach(({ players, course }, number) =>
  byId("chooser").append(h("option", { value: number }, `${number + 1}: ${players.join(" – ")}, ${course}`)));
byId("chooser").hidden = games.length < 2;
byId("chooser").addEventListener("change", event => open(Number(event.target.value)));
const steps = { first: () => 0, back: () => ply - 1, next: () => ply + 1, last: () => Infinity };
for (const [id, step] of Object.entries(steps)) byId(id).addEventListener("click", () => goTo(step()));
document.addEventListener("keydown", event => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || event.defaultPrevented || event.target.closest("select, [role=slider]")) return;
  event.preventDefault();
  goTo(ply + by);
});
open(0);
