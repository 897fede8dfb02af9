/** The table around the board: whose turn it is, the seats, the buttons, and the line below. */

import { PERSON } from "./address.js";
import { byId, MARKS } from "./dom.js";
import { outcomeText } from "./replays.js";
import { playerCard, seatCard, seatName } from "./seats.js";

const LEAST_THINKING = 250; // milliseconds for which a person sees that it was the agent's turn

/**
 * @typedef {object} State what the page knows beside the game
 * @property {object} setup
 * @property {string} view
 * @property {[import("./address.js").Seat, import("./address.js").Seat]} seats
 * @property {{file: number, number: number, replay: object}|null} replay
 * @property {[object|null, object|null]} thoughts the last answers of the agents
 * @property {boolean} paused
 * @property {boolean} stepping
 * @property {number} wait
 * @property {boolean} valued
 */

/** Who is to move after so many plies. */
function seatAt({ seats }, ply) {
  return seats[ply % 2];
}

/** Whether an agent has a seat. */
function isAgent(seat) {
  return seat.name !== PERSON.name;
}

/** How many seats agents have. */
function countAgents({ seats }) {
  return seats.filter(isAgent).length;
}

/**
 * Whether a move may be made on the board.
 *
 * @param {State} state
 * @param {import("./game.js").Game} game
 * @returns {boolean}
 */
export function isPersonsTurn(state, game) {
  if (game.position.over || state.replay) return false;
  return state.view !== "play" || !isAgent(seatAt(state, game.ply));
}

/**
 * The agent's turn that the position is, as `Turns` takes it; null where it is none.
 *
 * @param {State} state
 * @param {import("./game.js").Game} game
 * @returns {{game: string, moves: string, seat: import("./address.js").Seat, wait: number}|null}
 */
export function agentsTurn(state, game) {
  const seat = seatAt(state, game.ply);
  const idle = game.ply < game.plies || game.position.over || state.view !== "play" || !isAgent(seat);
  if (idle) return null;
  const turn = { game: game.end.game, moves: game.moves, seat };
  if (countAgents(state) === 2) {
    if (state.paused && !state.stepping) return null;
    return { ...turn, wait: state.stepping ? 0 : state.wait };
  }
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return { ...turn, wait: calm ? 0 : LEAST_THINKING };
}

/**
 * The ply to which one undoes: where a person was to move, or the one before where none plays.
 *
 * @param {State} state
 * @param {import("./game.js").Game} game
 * @returns {number}
 */
export function plyBefore(state, game) {
  let ply = game.ply - 1;
  while (skipsAgents(state) && ply > 0 && isAgent(seatAt(state, ply))) ply--;
  return ply;
}

/** As `plyBefore`, for the ply to which one redoes. */
export function plyAfter(state, game) {
  let ply = game.ply + 1;
  while (skipsAgents(state) && ply < game.plies && isAgent(seatAt(state, ply))) ply++;
  return ply;
}

function skipsAgents(state) {
  return state.view === "play" && countAgents(state) === 1;
}

/**
 * Draw who sits where; a card that has the focus keeps it.
 *
 * @param {State} state
 * @param {import("./game.js").Game} game
 * @param {import("./game.js").Turns} turns
 * @param {(index: number) => void} onSeat what to do when a seat is to be changed
 * @param {() => void} onSwap
 */
export function drawSeats(state, game, turns, onSeat, onSwap) {
  const seats = byId("seats");
  const focused = [...seats.children].indexOf(document.activeElement);
  const cards = state.replay ? replayCards(state.replay.replay)
    : playCards(state, game.position, turns, onSeat, onSwap);
  seats.replaceChildren(...cards);
  if (focused >= 0) seats.children[focused]?.focus();
}

function playCards({ setup, seats, thoughts }, { over, player }, turns, onSeat, onSwap) {
  const cards = seats.map((seat, index) => seatCard(index + 1, seat, {
    setup,
    toMove: !over && player === index + 1,
    thinking: turns.thinking && player === index + 1,
    last: isAgent(seat) ? thoughts[index] : null,
    onclick: () => onSeat(index),
  }));
  const swap = byId("swap-template").content.firstElementChild.cloneNode(true);
  swap.addEventListener("click", onSwap);
  return [cards[0], swap, cards[1]];
}

function replayCards({ players }) {
  return players.map((name, index) => playerCard(index + 1, name, index ? "second" : "first"));
}

/**
 * Show the buttons that can do something.
 *
 * @param {State} state
 * @param {import("./game.js").Game} game
 * @param {import("./game.js").Turns} turns
 */
export function drawToolbar(state, game, turns) {
  const both = countAgents(state) === 2 && state.view === "play" && !game.position.over;
  const behind = game.ply < game.plies;
  byId("undo").textContent = state.replay ? "Back" : "Undo";
  byId("redo").textContent = state.replay ? "Next" : "Redo";
  byId("undo").disabled = game.ply === 0;
  byId("redo").disabled = !behind;
  byId("continue").hidden = !(state.replay ? !game.position.over
    : state.view === "play" && behind && isAgent(seatAt(state, game.ply)));
  byId("retry").hidden = !turns.error;
  byId("pause").hidden = !both;
  byId("pause").textContent = state.paused ? "Go on" : "Pause";
  byId("step").hidden = !both || !state.paused || behind;
  byId("speed-label").hidden = !both;
}

/**
 * Tell how the game stands.
 *
 * @param {State} state
 * @param {import("./game.js").Game} game
 * @returns {string}
 */
export function statusText(state, game) {
  const { over, winner, player } = game.position;
  if (over) return winner ? `${MARKS[winner]} wins.` : "A draw.";
  if (state.replay && game.ply === game.plies) {
    const { replay } = state.replay;
    return [outcomeText(replay), replay.cause].filter(Boolean).join(": ");
  }
  const seat = seatAt(state, game.ply);
  if (state.view !== "play" || !isAgent(seat)) return `${MARKS[player]} to move.`;
  const paused = state.paused && countAgents(state) === 2 ? ", paused" : "";
  return `${MARKS[player]} to move: ${seatName(seat)}${paused}.`;
}
