/** The agents' turns: each is asked for its move when it is to move, and not twice. */

import { isAbort, postAsPage } from "./api.js";

/** Asks agents, one at a time. */
export class Turns {
  /** @type {boolean} whether an agent has been asked and has not answered */
  thinking = false;
  /** @type {string} why the last question was not answered, or "" */
  error = "";
  #key = "";
  #abort = new AbortController();
  #onMove;
  #onChange;

  /**
   * @param {(answer: object) => void} onMove what to do with an agent's answer
   * @param {() => void} onChange called when `thinking` or `error` has changed
   */
  constructor(onMove, onChange) {
    this.#onMove = onMove;
    this.#onChange = onChange;
  }

  /**
   * Ask for a move, unless it is being asked for already; whatever else was asked is ended.
   *
   * @param {{game: string, moves: string, seat: import("./address.js").Seat, wait: number}|null} turn
   *   `wait` is the least time in milliseconds from the question to the move; null: nobody is asked
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
      this.#onMove(answer);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.thinking = false;
      this.error = error.message;
      this.#onChange();
    }
  }
}
