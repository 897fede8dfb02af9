/** The game on the board: its line of moves, and the ply at which it is looked at. */

import { post } from "./api.js";
import { movesText } from "./address.js";

/**
 * @typedef {object} Position as the server tells it
 * @property {string} game
 * @property {string} title
 * @property {number} rows
 * @property {number} columns
 * @property {"column"|"cell"} place
 * @property {string} moves
 * @property {number[]} actions
 * @property {number[]} cells
 * @property {number[]} placed
 * @property {1|2} player
 * @property {number[]} legal
 * @property {boolean} over
 * @property {1|2|null} winner
 * @property {number[]} line
 * @property {number|null} last
 */

/** A line of moves with a place in it. */
export class Game {
  /** @type {Position} the end of the line */
  end;
  ply = 0;
  #question = 0;

  /**
   * Ask for a line, and look at its end or at a ply of it.
   *
   * @param {string} game its id
   * @param {string} moves a move string
   * @param {number|null} [ply]
   * @returns {Promise<boolean>} whether it was not overtaken by a later question; rejected with the
   *   server's sentence, and nothing is changed, where the line is none
   */
  async open(game, moves, ply = null) {
    const question = ++this.#question;
    const end = await post("position", { game, moves });
    if (question !== this.#question) return false;
    this.end = end;
    this.ply = Math.min(ply ?? Infinity, end.actions.length);
    return true;
  }

  /**
   * Make a move at the ply that is looked at. Another move than the line's next replaces its rest.
   *
   * @param {number} action
   * @returns {Promise<boolean>} as for `open`
   */
  async play(action) {
    if (this.end.actions[this.ply] === action) {
      this.goTo(this.ply + 1);
      return true;
    }
    return this.open(this.end.game, movesText([...this.end.actions.slice(0, this.ply), action]));
  }

  /** @param {number} ply */
  goTo(ply) {
    this.#question++;
    this.ply = Math.max(0, Math.min(ply, this.plies));
  }

  /** The number of plies of the line. */
  get plies() {
    return this.end.actions.length;
  }

  /** @returns {string} the moves up to the ply that is looked at */
  get moves() {
    return movesText(this.end.actions.slice(0, this.ply));
  }

  /** @returns {Position} at the ply that is looked at */
  get position() {
    return this.ply === this.plies ? this.end : positionAt(this.end, this.ply);
  }
}

/** The position at a ply before the end: no line is complete there, so it needs no rules. */
function positionAt(end, ply) {
  const cells = end.cells.map(() => 0);
  end.placed.slice(0, ply).forEach((cell, index) => { cells[cell] = 1 + (index % 2); });
  const places = Array.from({ length: end.place === "column" ? end.columns : cells.length }, (_, i) => i);
  const actions = end.actions.slice(0, ply);
  return {
    ...end,
    moves: movesText(actions),
    actions,
    cells,
    placed: end.placed.slice(0, ply),
    player: 1 + (ply % 2),
    legal: places.filter(place => !cells[place]), // a column's number is that of its top cell
    over: false,
    winner: null,
    line: [],
    last: ply ? end.placed[ply - 1] : null,
  };
}
