/** The area around the board: whose turn it is, the seats, the buttons, and the line below. */

import { beatenLevels, PERSON, remember } from "./address.js";
import { turnText } from "./board_words.js";
import { byId, h, MARKS } from "./dom.js";
import { playerCard, SeatCard, seatName } from "./seats.js";

const LEAST_THINKING = 250; // milliseconds for which the agent's turn is visible

/**
 * @typedef {object} State the page's state besides the game, as main.js initializes it
 *   thoughts   the agents' last answers
 *   note       the effect of the last change of a seat on the game, until the next move; or ""
 *   handed     whether a seat has changed since the game began
 */

/** The seat that is to move after a number of plies. */
function seatAt({ seats }, ply) {
  return seats[ply % 2];
}

/** Whether an agent has a seat. */
function isAgent(seat) {
  return seat.name !== PERSON.name;
}

/** The number of seats with agents. */
function countAgents({ seats }) {
  return seats.filter(isAgent).length;
}

/** Whether a move may be made on the board. */
export function isPersonsTurn(state, game) {
  if (game.position.over || state.replay || game.pending !== null) return false;
  return state.view !== "play" || !isAgent(seatAt(state, game.ply));
}

/** The agent's turn in the position, as `Turns` takes it; null if it is not an agent's turn. */
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

/** The ply to which undo (-1) or redo (1) leads: the next turn of a person against an agent, or else the next ply. */
export function plyTowards(by, state, game) {
  const skipsAgents = state.view === "play" && countAgents(state) === 1;
  const takesBack = by < 0 && game.pending !== null && !isAgent(seatAt(state, game.ply));
  let ply = takesBack ? game.ply : game.ply + by;
  while (skipsAgents && ply > 0 && ply < game.plies && isAgent(seatAt(state, ply))) ply += by;
  return ply;
}

/** The cards of the two seats, beside each other. */
export class SeatRow {
  #cards;
  #swap = byId("seats").firstElementChild;

  /** The handlers are called when a seat is chosen, an agent with options is wanted, or the seats are exchanged. */
  constructor(setup, { onSeat, onAgent, onSwap }) {
    this.#cards = [0, 1].map(index =>
      new SeatCard(index + 1, setup, seat => onSeat(index, seat), () => onAgent(index)));
    this.#swap.addEventListener("click", onSwap);
  }

  show({ seats, thoughts, replay }, { position: { over, player } }, turns) {
    if (replay) {
      const cards = replay.replay.players.map((name, index) => playerCard(index + 1, name, index ? "second" : "first"));
      return byId("seats").replaceChildren(...cards);
    }
    const [first, second] = this.#cards;
    if (!first.element.isConnected) byId("seats").replaceChildren(first.element, this.#swap, second.element);
    seats.forEach((seat, index) => this.#cards[index].show(seat, {
      name: seatName(seat, index, seats),
      toMove: !over && player === index + 1,
      thinking: turns.thinking && player === index + 1,
      last: isAgent(seat) ? thoughts[index] : null,
    }));
  }
}

/** Show the buttons that have an effect. */
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

/** How a game ended, or that it goes on, in words. */
export function courseText({ replay }, position) {
  if (position.over) return turnText(position);
  if (!replay) return "The game goes on.";
  return [replay.replay.outcome, replay.replay.cause].filter(Boolean).join(": ");
}

/** The state of the game in words. */
export function statusText(state, game, turns) {
  const { over } = game.position;
  if (over && state.view === "play" && !state.replay) return endText(state, game.position.winner);
  if (over || (state.replay && game.ply === game.plies)) return courseText(state, game.position);
  const seat = seatAt(state, game.ply);
  if (state.view !== "play") return turnText(game.position);
  if (state.note) return state.note;
  if (!isAgent(seat)) return yourTurnText(state, game);
  if (state.paused && countAgents(state) === 2) return `${seatName(seat)} is to move, paused…`;
  return `${seatName(seat)} ${game.ply < game.plies || turns.error ? "is to move." : "is thinking…"}`;
}

function yourTurnText(state, { ply, position: { player, place } }) {
  const whose = countAgents(state) ? "Your turn" : `${MARKS[player]}’s turn`;
  if (ply >= 4) return whose;
  return `${whose}: ${place === "column" ? "drop a disc" : `place an ${MARKS[player]}`}`;
}

/** Show the card of a game that has ended. Remember a level that was beaten, and offer the next one. */
export function drawEnding(state, game) {
  const { over, winner, actions } = game.position;
  const shown = over && state.view === "play" && !state.replay;
  byId("ending").hidden = !shown;
  if (!shown) return;
  const seat = winner ? state.seats[winner - 1] : null;
  const loser = winner ? state.seats[2 - winner] : null;
  byId("ending").dataset.player = winner ?? "";
  byId("ending-title").textContent = endText(state, winner);
  byId("ending-detail").textContent = winner
    ? `In ${Math.ceil(actions.length / 2)} moves.` : "The board is full.";
  offerLevel(null);
  const played = winner && !state.handed && state.thoughts[2 - winner]; // here from the beginning, not opened by a link
  if (!played || isAgent(seat) || loser.name !== "level") return;
  const beaten = beatenLevels();
  beaten.add(loser.options.n);
  remember("beaten", [...beaten].sort((one, other) => one - other).join(" "));
  const next = state.setup.levels.find(({ n }) => n > loser.options.n && !beaten.has(n));
  byId("ending-detail").textContent = `Levels beaten: ${beaten.size} of ${state.setup.levels.length}.`;
  offerLevel(next);
}

function offerLevel(level) {
  const button = byId("next-level");
  button.hidden = !level;
  byId("rematch").classList.toggle("primary", !level);
  byId("swap-again").hidden = Boolean(level); // the seats have such a button, and the card has only one line
  if (!level) return;
  button.value = level.n;
  button.textContent = `Play level ${level.n}`;
}

function endText(state, winner) {
  if (!winner) return "A draw";
  const seat = state.seats[winner - 1];
  if (isAgent(seat)) return `${seatName(seat)} wins`;
  return countAgents(state) ? "You win!" : `${MARKS[winner]} wins`;
}

/** Offer the lines of a game that were left for variations, to return to. */
export function drawLines(game, onReturn) {
  byId("lines").replaceChildren(...game.lines.map(line => h("button", {
    type: "button", onclick: () => onReturn(line),
  }, `Back to ${lineName(line, game.end)}`)));
}

function lineName({ actions }, end) {
  const from = actions.findIndex((action, ply) => action !== end.actions[ply]);
  const shown = actions.slice(from, from + 3).map(action => action + 1).join(", ");
  return `${from + 1}. ${shown}${actions.length > from + 3 ? " …" : ""}`;
}
