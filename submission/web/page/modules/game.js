/** The game on the board: its line of moves, the agents' turns, and the dialog of a new game. */

import { moveNumbers, movesText } from "./address.js";
import { post, postAsPage } from "./api.js";
import { byId, h, isAbort, showError } from "./dom.js";
import { positionAt } from "./position.js";

const MOST_LINES = 6; // lines that are kept
const SIZES = { rows: "rows", columns: "columns", inarow: "in a row" };

/**
 * @typedef {object} Position as the server sends it
 *   game, title, inarow      its id, its name, and how many stones in a row win
 *   rows, columns, place     `place` is what a move names, "column" or "cell"
 *   moves, actions, legal    a move string; the plies and the legal moves, counted from 0
 *   cells, placed            0, 1 or 2, the top row first; the cell that each ply has filled
 *   player, over, winner     1 or 2; `winner` is null if nobody has won
 *   line, last               the cells of a winning line; that of the last stone, or null
 */

/** A line of moves, and the ply that is viewed. */
export class Game {
  /** @type {Position} the end of the line */
  end;
  ply = 0;
  /** @type {Position[]} the ends of lines that were left by a variation */
  lines = [];
  /** @type {number|null} the move that the server has not yet answered */
  pending = null;
  #question = 0;

  /**
   * Ask for a line, and view its end or a ply of it; false if a later question has overtaken this one. If the line is
   * illegal, it is rejected with the server's sentence, and nothing changes.
   */
  async open(game, moves, ply = null) {
    this.#overtake();
    const end = await this.unlessLeft(post("position", { game, moves }));
    if (!end) return false;
    this.end = end;
    this.ply = Math.min(ply ?? Infinity, end.actions.length);
    return true;
  }

  /**
   * Wait for an answer about a line; null, even instead of a refusal, if meanwhile another line was asked for or
   * another ply viewed.
   */
  async unlessLeft(answer) {
    const question = this.#question;
    const isLeft = () => question !== this.#question;
    const found = await answer.catch(error => {
      if (!isLeft()) throw error;
    }).finally(() => {
      if (!isLeft()) this.pending = null;
    });
    return isLeft() ? null : found;
  }

  #overtake() {
    this.#question++;
    this.pending = null;
  }

  /**
   * Open the moves before the one that the server has refused with this sentence; false as for `open`, and also if
   * it has refused something else.
   */
  async openLegalPart({ game, moves }, refusal) {
    const count = Number(refusal.match(/^move (\d+) is/)?.[1] ?? 0) - 1;
    if (count < 1) return false;
    return this.open(game, movesText(moveNumbers(moves).slice(0, count).map(number => Number(number) - 1)));
  }

  /** Make a move at the viewed ply, as `open` does; unless it is the line's next move, it replaces the rest. */
  async play(action) {
    if (this.end.actions[this.ply] === action) {
      this.goTo(this.ply + 1);
      return true;
    }
    const moves = movesText([...this.end.actions.slice(0, this.ply), action]);
    const left = this.ply < this.plies ? this.end : null;
    const opening = this.open(this.end.game, moves);
    this.pending = action;
    const opened = await opening;
    if (opened) this.#keep(left);
    return opened;
  }

  /** Return to a line that was left; the line on the board is kept instead. @param {Position} line one of `lines` */
  returnTo(line) {
    const left = this.end;
    this.#overtake();
    this.end = line;
    this.ply = line.actions.findIndex((action, ply) => action !== left.actions[ply]);
    this.#keep(left);
  }

  /** Keep the lines that lead elsewhere, and the one that was left. @param {Position|null} left null: none */
  #keep(left) {
    const others = this.lines.filter(line => !(left && isPartOf(line, left)));
    this.lines = [...others, ...(left ? [left] : [])].filter(line => !isPartOf(line, this.end)).slice(-MOST_LINES);
  }

  /** @param {number} ply */
  goTo(ply) {
    this.#overtake();
    this.ply = Math.max(0, Math.min(ply, this.plies));
  }

  /** The number of plies of the line. */
  get plies() {
    return this.end.actions.length;
  }

  /** @returns {string} the moves up to the viewed ply */
  get moves() {
    return movesText(this.end.actions.slice(0, this.ply));
  }

  /** @returns {Position} the position at the viewed ply */
  get position() {
    return this.ply === this.plies ? this.end : { ...positionAt(this.end, this.ply), moves: this.moves };
  }
}

/** Whether a line is the beginning of another one, or equal to it. */
function isPartOf({ actions }, whole) {
  return actions.every((action, ply) => action === whole.actions[ply]);
}

/** Asks agents for moves, one at a time. */
export class Turns {
  /** @type {boolean} whether an agent has been asked and has not answered */
  thinking = false;
  /** @type {string} why the last question was not answered, or "" */
  error = "";
  #key = "";
  #abort = new AbortController();
  #onMove;
  #onChange;

  /** `onMove` takes an agent's answer; `onChange` is called when `thinking` or `error` has changed. */
  constructor(onMove, onChange) {
    this.#onMove = onMove;
    this.#onChange = onChange;
  }

  /**
   * Ask for a move, unless that question is already open; any other question is aborted. `wait` is the least time in
   * milliseconds from the question to the move; if the turn is null, no agent is asked.
   */
  consider(turn) {
    const key = turn ? JSON.stringify([turn.game, turn.moves, turn.seat]) : "";
    if (key === this.#key) return;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#key = key;
    this.thinking = Boolean(turn);
    this.error = "";
    if (turn) this.#ask(turn, this.#abort.signal);
  }

  /** Forget the last question, so that it may be asked again. */
  forget() {
    this.consider(null);
  }

  async #ask({ game, moves, seat, wait }, signal) {
    const agent = { name: seat.name, options: seat.options };
    const question = { game, moves, agent, ...(seat.seconds ? { seconds: seat.seconds } : {}) };
    const pause = new Promise(resolve => setTimeout(resolve, wait));
    try {
      const [answer] = await Promise.all([postAsPage("move", question, signal), pause]);
      if (signal.aborted) return;
      this.thinking = false;
      this.#key = ""; // so that an overtaken move can be asked for again
      this.#onMove(answer);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.thinking = false;
      this.error = error.message;
      this.#onChange();
    }
  }
}

/** Ask for a game; `now` is the one on the board, and `onChoice` rejects a game that does not exist. */
export function askGame(games, now, onChoice) {
  const dialog = byId("game-dialog");
  const select = byId("game-name");
  select.replaceChildren(...games.map(game =>
    h("option", { value: game.name, selected: now.game.startsWith(game.name) }, game.title)));
  select.onchange = () => showSizes(games, select.value, []);
  showSizes(games, select.value, now.game.startsWith(select.value) ? now.game.match(/\d+/g) ?? [] : []);
  byId("game-moves").value = "";
  showError(byId("game-error"), "");
  dialog.querySelector("form").onsubmit = async event => {
    event.preventDefault();
    try {
      await onChoice(chosenGame(select.value), byId("game-moves").value.trim());
      dialog.close();
      byId("board").firstElementChild.shadowRoot.querySelector("[tabindex='0']")?.focus();
    } catch (error) {
      showError(byId("game-error"), error.message);
    }
  };
  dialog.showModal();
}

function showSizes(games, name, values) {
  const { sizes } = games.find(game => game.name === name);
  byId("game-sizes").replaceChildren(...Object.entries(sizes).map(([size, limits], index) => {
    const id = `game-${size}`;
    const input = h("input", {
      id, type: "number", required: true, step: 1, min: limits.least, max: limits.most,
      value: values[index] ?? limits.default, inputMode: "numeric",
    });
    return h("div", { class: "option" }, h("label", { htmlFor: id }, SIZES[size]), input);
  }));
}

function chosenGame(name) {
  const sizes = [...byId("game-sizes").querySelectorAll("input")].map(({ value }) => value);
  return [name, sizes.join("x")].filter(Boolean).join("-");
}
