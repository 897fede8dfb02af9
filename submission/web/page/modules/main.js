/** The page: one game on one board, seen in three views. */

import {
  bindSettings, DEFAULT_GAME, movesText, PERSON, readAddress, remember, remembered, writeAddress,
} from "./address.js";
import { getSetup, onConnection } from "./api.js";
import { createBoard } from "./board.js";
import { bindKeys, byId, MARKS, showError } from "./dom.js";
import { askGame, Game, Turns } from "./game.js";
import { withStone } from "./position.js";
import { Record } from "./record.js";
import { Replays } from "./replays.js";
import { Retry } from "./retry.js";
import { Search } from "./search.js";
import { askAgent, seatName, seatTrouble, usualSeats } from "./seats.js";
import { bindArrivals, copyLink, saveAsPage } from "./share.js";
import {
  agentsTurn, courseText, drawEnding, drawLines, drawToolbar, isPersonsTurn, plyTowards, SeatRow, statusText,
} from "./table.js";
import { clack } from "./sound.js";
import { Values } from "./values.js";

const game = new Game();
const board = createBoard(byId("board"), { onMove: action => movePerson(action), label: "Board" });
const values = new Values(() => drawBoard());
const record = new Record(ply => goTo(ply), () => drawRetry());
const retry = new Retry(() => showPuzzle());
const turns = new Turns(answer => moveAgent(answer), () => render());

const state = {
  setup: null,
  view: "play",
  seats: [PERSON, PERSON],
  replay: null, // { file, number, replay }
  thoughts: [null, null], // the agents' last answers
  paused: false,
  stepping: false,
  wait: Number(remembered("pace", "500")),
  valued: remembered("values", "off") === "on",
  note: "",
  handed: false,
};
let search, replays, seatRow;

// What is shown

function render() {
  const { position } = game;
  const title = position.title + (state.replay ? `, game ${state.replay.number + 1}` : "");
  if (byId("game-title").textContent !== title) byId("game-title").textContent = title; // read aloud only once
  byId("ply-line").textContent = game.plies ? `move ${game.ply} of ${game.plies}` : `${position.inarow} in a row wins`;
  document.title = `${position.title} · connectx`;
  const replayed = Boolean(state.replay);
  Object.assign(document.querySelector("main").dataset, { view: state.view, place: position.place, replayed });
  turns.consider(agentsTurn(state, game));
  drawViews();
  seatRow.show(state, game, turns);
  drawToolbar(state, game, turns);
  values.follow(state.valued && !retry.mistake ? position : null);
  if (retry.mistake) byId("values-state").textContent = "The values come back when the mistakes are done.";
  drawBoard();
  byId("values-switch").checked = state.valued;
  record.show(game, state.valued && !retry.mistake?.replay, state.replay?.replay.opening_plies);
  search.show(position, state.view === "search");
  if (state.view === "replays") replays.show(state.replay);
  showError(byId("error"), turns.error);
  drawEnding(state, game);
  drawLines(game, line => {
    game.returnTo(line);
    settle("push");
  });
  drawRetry();
}

/** Show the controls for retrying mistakes. */
function drawRetry() {
  retry.draw();
  byId("retry-mistakes").hidden = retry.isOpen || !state.valued || !ownMistakes().length;
}

function ownMistakes() {
  const persons = state.seats.map(seat => seat.name === PERSON.name);
  const all = state.replay || !persons.includes(true);
  return record.mistakes.filter(({ player }) => all || persons[player - 1]);
}

function drawViews() {
  for (const link of byId("views").children) {
    const { view } = link.dataset;
    link.href = writeAddress({ ...place(), view, replay: view === "play" ? null : state.replay });
    if (view === state.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function drawBoard() {
  const { position, pending } = game;
  const isPending = pending !== null;
  board.update({
    ...isPending ? withStone(position, pending) : position,
    isPending,
    interactive: retry.mistake ? isPosed() : isPersonsTurn(state, game),
    values: state.valued && !position.over && !retry.mistake && !isPending ? values.byAction ?? {} : null,
    balance: state.valued && !retry.mistake ? values.balance : null,
    message: retry.mistake ? `${MARKS[position.player]}: find a better move` : statusText(state, game, turns),
  });
}

// What happens

async function movePerson(action) {
  if (retry.mistake) return isPosed() && retry.judge(action);
  try {
    await move(action, "push");
  } catch (error) {
    drawBoard();
    complain(error.message);
  }
}

/** Let a stone fall at once; everything else waits for the server. */
async function move(action, how) {
  const played = game.play(action);
  clack();
  drawBoard();
  if (!await played) return;
  state.note = "";
  settle(how);
}

/** Show what went wrong where the user sees it. */
function complain(sentence) {
  showError(byId("error"), sentence);
  byId("error").scrollIntoView({ block: "nearest" });
}

function moveAgent(answer) {
  state.stepping = false;
  state.thoughts[game.ply % 2] = answer;
  return move(answer.action, "replace");
}

/** Show changes, and write them to the address. */
function settle(how) {
  const address = writeAddress(place());
  byId("copied").textContent = "";
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

/** Show the position of the mistake that is being retried, if there is one. */
async function showPuzzle() {
  const { mistake } = retry;
  const replay = mistake?.replay;
  if (replay) {
    if (!await game.open(replay.game, replay.moves, mistake.ply)) return;
    game.lines = [];
    state.replay = { file: replay.file, number: replay.number, replay };
    settle("replace");
  } else {
    if (mistake) game.goTo(mistake.ply);
    render();
  }
  if (!mistake) return;
  byId("board").scrollIntoView({ block: "nearest" });
  board.focus();
}

/** Whether the mistake being retried is on the board yet: the position of another game arrives later. */
function isPosed() {
  const { replay, ply } = retry.mistake;
  return game.ply === ply && (!replay || state.replay?.replay === replay);
}

function goTo(ply) {
  retry.end();
  state.note = "";
  game.goTo(ply);
  settle("replace");
}

async function playOn() {
  const { moves } = game;
  if (state.replay) {
    Object.assign(state, { replay: null, seats: [PERSON, PERSON], thoughts: [null, null] });
    leaveReplays();
  }
  await game.open(game.end.game, moves);
  settle("push");
}

function askForAgent(index) {
  askAgent(index + 1, state.seats[index], game.end.game, state.setup, seat => sit(index, seat));
  render(); // the list must show who sits there, instead of the chosen entry
}

/** Change a seat during a game; if the game is over or has not begun, a new one begins. */
async function sit(index, seat) {
  const anew = game.position.over || !game.plies;
  await reseat(state.seats.with(index, seat), state.thoughts.with(index, null));
  const name = seatName(seat).replace("Level", "level").replace("You", "a person");
  state.note = `${anew ? "A new game" : "The game goes on"} with ${name}`;
  render();
}

function swapSeats() {
  return reseat(state.seats.toReversed(), state.thoughts.toReversed());
}

async function reseat(seats, thoughts) {
  if (game.position.over) {
    await begin(game.end.game, "", seats);
    return;
  }
  Object.assign(state, { seats, thoughts: game.plies ? thoughts : [null, null], note: "", handed: game.plies > 0 });
  settle("push");
}

async function rematch(seats = null) {
  if (await begin(game.end.game, "", seats)) board.focus();
}

function playNextLevel() {
  const level = { name: "level", options: { n: Number(byId("next-level").value) } };
  return rematch(state.seats.map(seat => (seat.name === "level" ? level : seat)));
}

function review() {
  if (!state.valued) toggleValues();
  byId("record-title").focus({ preventScroll: true });
  byId("ply-text").scrollIntoView({ block: "nearest" }); // no further, so that the board stays in view
}

/** Begin a game, with other seats if given. @returns {Promise<boolean>} as for `Game.open` */
async function begin(id, moves, seats = null) {
  if (!await leaveFor(id, moves)) return false;
  Object.assign(state, { replay: null, thoughts: [null, null], paused: false, note: "", handed: false });
  if (seats) state.seats = seats;
  leaveReplays();
  settle("push");
  return true;
}

function leaveReplays() {
  if (state.view === "replays") state.view = "play";
}

/** Open another line, as `Game.open` does; the agent's turn resumes only if there is no such line. */
async function leaveFor(...line) {
  turns.forget();
  try {
    if (!await game.open(...line)) return false;
  } catch (error) {
    render();
    throw error;
  }
  game.lines = [];
  retry.end();
  return true;
}

async function openReplay(file, replay) {
  try {
    if (!await leaveFor(replay.game, replay.moves, replay.opening_plies)) return;
    state.replay = { file, number: replay.number, replay };
    state.view = "replays";
    settle("push");
    const table = byId("table");
    if (table.getBoundingClientRect().top < 0) table.scrollIntoView();
  } catch (error) {
    showError(byId("replays-error"), error.message);
  }
}

function togglePause() {
  state.paused = !state.paused;
  state.note = "";
  render();
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

function openMoves(moves) {
  return begin(game.end.game, moves, usualSeats(moves));
}

function savePage() {
  return saveAsPage(game.end, {
    players: state.replay?.replay.players ?? state.seats.map((seat, index) => seatName(seat, index, [seat])), // no reader is "You"
    course: courseText(state, game.end),
    opening: state.replay?.replay.opening_plies ?? 0,
  });
}

// The address

/** Go to the place that the address names. */
async function follow() {
  const wanted = readAddress(location.hash);
  Object.assign(state, { view: wanted.view, note: "" });
  const trouble = wanted.seats?.map(seat => seatTrouble(seat, state.setup)).find(Boolean) ?? "";
  state.seats = (!trouble && wanted.seats) || usualSeats(wanted.moves);
  if (wanted.view !== "play") state.stepping = false;
  turns.forget();
  try {
    await restore(wanted);
  } catch (error) {
    if (!await game.openLegalPart(wanted, error.message) && !game.end) await game.open(DEFAULT_GAME, "");
    settle("replace");
    complain(error.message);
    return;
  }
  render();
  if (trouble) complain(trouble);
}

async function restore({ game: id, moves, ply, replay }) {
  const same = game.end && game.end.game === id && movesText(game.end.actions) === moves;
  retry.end();
  const left = game.lines.find(line => line.game === id && line.moves === moves);
  if (same) game.goTo(ply ?? game.plies);
  else if (left) {
    game.returnTo(left);
    game.goTo(ply ?? game.plies);
  } else {
    if (!await game.open(id, moves, ply)) return;
    game.lines = [];
    Object.assign(state, { thoughts: [null, null], handed: false });
  }
  if (replay?.file === state.replay?.file && replay?.number === state.replay?.number) return;
  state.replay = null;
  const found = replay && await game.unlessLeft(replays.find(replay, game.end));
  if (found) state.replay = { ...replay, replay: found };
}

function bindButtons() {
  const actions = {
    undo: () => goTo(plyTowards(-1, state, game)), redo: () => goTo(plyTowards(1, state, game)),
    continue: playOn, pause: togglePause, step: stepOnce, "copy-link": copyLink,
    "save-page": savePage, "replays-open": () => byId("replays-chooser").click(),
    "new-game": () => askGame(state.setup.games, game.end, begin), rematch: () => rematch(), "next-level": playNextLevel, review,
    "swap-again": async () => {
      await swapSeats();
      board.focus();
    },
    "retry-mistakes": () => retry.begin(ownMistakes(), game.end.place),
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

/** Press a button, if it is visible. */
function press(id) {
  if (byId(id).checkVisibility()) byId(id).click();
}

async function start() {
  onConnection(trouble => { byId("connection").textContent = trouble; });
  state.setup = await getSetup();
  search = new Search(state.setup);
  seatRow = new SeatRow(state.setup, { onSeat: sit, onAgent: askForAgent, onSwap: swapSeats });
  replays = new Replays(state.setup.files, openReplay, (games, ofPlayer) => retry.practise(games, ofPlayer));
  bindSettings();
  bindButtons();
  bindKeys({
    u: () => press("undo"),
    r: () => press("redo"),
    v: toggleValues,
    n: () => byId("new-game").click(),
    g: () => press("next-replay"),
    p: () => press(state.view === "search" ? "search-play" : "pause"),
    ",": () => stepBy(-1),
    ".": () => stepBy(1),
    "?": () => byId("help-dialog").showModal(),
  }, {
    digit: action => !search.isOnStage && (retry.mistake || isPersonsTurn(state, game)) && game.position.legal.includes(action) && movePerson(action),
    arrow: by => !search.isOnStage && (state.replay && !retry.isOpen ? goTo(game.ply + by) : board.focus()),
  });
  bindArrivals(byId("replays-chooser"), {
    onMoves: openMoves,
    onFile: async (name, text) => {
      await replays.add(name, text);
      state.view = "replays";
      settle("push");
    },
    onTrouble: complain,
  });
  window.addEventListener("popstate", follow);
  await follow();
}

start().catch(error => complain(error.message));
