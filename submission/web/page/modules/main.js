/** The page: one game on one board, seen in three views. */

import {
  bindSettings, DEFAULT_GAME, movesText, PERSON, readAddress, remember, remembered, writeAddress,
} from "./address.js";
import { getSetup, onConnection } from "./api.js";
import { createBoard } from "./board.js";
import { bindKeys, byId, showError } from "./dom.js";
import { askGame, Game, Turns } from "./game.js";
import { Record } from "./record.js";
import { Replays } from "./replays.js";
import { Search } from "./search.js";
import { askSeat, usualSeats } from "./seats.js";
import {
  agentsTurn, drawSeats, drawToolbar, isPersonsTurn, plyAfter, plyBefore, statusText,
} from "./table.js";
import { Values } from "./values.js";

const game = new Game();
const board = createBoard(byId("board"), { onMove: action => movePerson(action), label: "Board" });
const values = new Values(() => drawBoard());
const record = new Record(ply => goTo(ply));
const turns = new Turns(answer => moveAgent(answer), () => render());

const state = {
  setup: null,
  view: "play",
  seats: [PERSON, PERSON],
  replay: null, // { file, number, replay }
  thoughts: [null, null], // the last answers of the agents
  paused: false,
  stepping: false,
  wait: Number(remembered("pace", "500")),
  valued: remembered("values", "off") === "on",
};
let search, replays;

// What is shown

function render() {
  const { position } = game;
  byId("game-title").textContent = position.title;
  byId("ply-line").textContent = `ply ${game.ply} of ${game.plies}`;
  document.title = `${position.title} · connectx`;
  document.querySelector("main").dataset.view = state.view;
  turns.consider(agentsTurn(state, game));
  drawViews();
  drawSeats(state, game, turns, askForSeat, swapSeats);
  drawToolbar(state, game, turns);
  values.follow(state.valued ? position : null);
  drawBoard();
  byId("values-switch").checked = state.valued;
  byId("values-on").hidden = !state.valued;
  byId("values-off").hidden = state.valued;
  record.show(game, state.valued);
  search.show(state.view === "search" ? position : null);
  if (state.view === "replays") replays.show(state.replay);
  showError(byId("error"), turns.error);
}

function drawViews() {
  for (const link of byId("views").children) {
    const here = link.dataset.view === state.view;
    link.href = writeAddress({ ...place(), view: link.dataset.view, replay: null });
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function drawBoard() {
  const { position } = game;
  board.update({
    ...position,
    interactive: isPersonsTurn(state, game),
    values: state.valued && !position.over ? values.byAction ?? {} : null,
    message: statusText(state, game),
  });
}

// What happens

async function movePerson(action) {
  try {
    if (await game.play(action)) settle("push");
  } catch (error) {
    showError(byId("error"), error.message);
  }
}

async function moveAgent(answer) {
  state.stepping = false;
  state.thoughts[game.ply % 2] = answer;
  if (await game.play(answer.action)) settle("replace");
}

/** Show what has changed, and write it to the address. */
function settle(how) {
  const address = writeAddress(place());
  if (how === "push" && address !== location.hash) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  render();
}

function place() {
  return {
    view: state.view,
    game: game.end.game,
    moves: movesText(game.end.actions),
    ply: game.ply === game.plies ? null : game.ply,
    seats: state.replay ? null : state.seats,
    replay: state.replay,
  };
}

function goTo(ply) {
  game.goTo(ply);
  settle("replace");
}

function undo() {
  goTo(plyBefore(state, game));
}

function redo() {
  goTo(plyAfter(state, game));
}

async function playOn() {
  const { moves } = game;
  if (state.replay) {
    Object.assign(state, { replay: null, seats: [PERSON, PERSON], view: "play", thoughts: [null, null] });
  }
  await game.open(game.end.game, moves);
  settle("push");
}

function askForSeat(index) {
  askSeat(index + 1, state.seats[index], game.end.game, state.setup, seat => sit(index, seat));
}

function sit(index, seat) {
  state.seats = state.seats.with(index, seat);
  state.thoughts[index] = null;
  settle("push");
}

function swapSeats() {
  state.seats = state.seats.toReversed();
  state.thoughts.reverse();
  settle("push");
}

async function begin(id, moves) {
  await game.open(id, moves);
  Object.assign(state, { replay: null, thoughts: [null, null], paused: false });
  if (state.view === "replays") state.view = "play";
  settle("push");
}

async function openReplay(file, replay) {
  try {
    if (!await game.open(replay.game, replay.moves, replay.opening_plies)) return;
    state.replay = { file, number: replay.number, replay };
    settle("push");
  } catch (error) {
    showError(byId("replays-error"), error.message);
  }
}

function togglePause() {
  state.paused = !state.paused;
  render();
}

function pause() {
  if (state.view === "search") search.togglePause();
  else if (!byId("pause").hidden) togglePause();
}

function stepOnce() {
  state.stepping = true;
  render();
}

function toggleValues() {
  state.valued = !state.valued;
  remember("values", state.valued ? "on" : "off");
  render();
}

function stepBy(by) {
  if (state.view === "search") search.move(by);
  else if (by > 0 && !byId("step").hidden) stepOnce();
  else goTo(game.ply + by);
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    byId("copied").textContent = "The link to this position is copied.";
  } catch {
    byId("copied").textContent = "This browser lets no page copy here: take the link from the address bar.";
  }
}

// Where the page stands

/** Go to the place that the address names. */
async function follow() {
  const wanted = readAddress(location.hash);
  state.view = wanted.view;
  state.seats = wanted.seats ?? usualSeats(wanted.moves, state.setup);
  if (wanted.view !== "play") state.stepping = false;
  try {
    await restore(wanted);
  } catch (error) {
    if (!game.end) await game.open(DEFAULT_GAME, "");
    settle("replace");
    showError(byId("error"), error.message);
    return;
  }
  render();
}

async function restore({ game: id, moves, ply, replay }) {
  const same = game.end && game.end.game === id && movesText(game.end.actions) === moves;
  if (same) game.goTo(ply ?? game.plies);
  else await game.open(id, moves, ply);
  if (replay?.file === state.replay?.file && replay?.number === state.replay?.number) return;
  const found = replay && await replays.find(replay);
  state.replay = found ? { ...replay, replay: found } : null;
}

function bindButtons() {
  const actions = {
    undo, redo, continue: playOn, pause: togglePause, step: stepOnce, "copy-link": copyLink,
    "new-game": newGame,
    retry: () => {
      turns.forget();
      render();
    },
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  byId("values-switch").addEventListener("change", toggleValues);
  byId("speed").value = String(state.wait);
  byId("speed").addEventListener("change", () => {
    state.wait = Number(byId("speed").value);
    remember("pace", byId("speed").value);
  });
  byId("skip").addEventListener("click", event => {
    event.preventDefault();
    board.focus();
  });
}

function newGame() {
  askGame(state.setup.games, game.end, begin);
}

async function start() {
  onConnection(connected => {
    byId("connection").textContent = connected ? "" : "The connection to the server is lost. Trying again…";
  });
  state.setup = await getSetup();
  search = new Search(state.setup);
  replays = new Replays(state.setup.files, openReplay);
  bindSettings();
  bindButtons();
  bindKeys({
    u: () => game.ply > 0 && undo(),
    r: () => game.ply < game.plies && redo(),
    v: toggleValues,
    n: newGame,
    p: pause,
    ",": () => stepBy(-1),
    ".": () => stepBy(1),
    "?": () => byId("help-dialog").showModal(),
  }, {
    digit: action => isPersonsTurn(state, game) && game.position.legal.includes(action) && movePerson(action),
    arrow: () => board.focus(),
  });
  window.addEventListener("popstate", follow);
  await follow();
}

start().catch(error => showError(byId("error"), error.message));
