/** Mistakes as puzzles on the board: find a better move, with the solver as judge. */

import { moveNumbers } from "./address.js";
import { stream } from "./api.js";
import { byId, MARKS } from "./dom.js";
import { isGrave } from "./record.js";

export const MOST_GAMES = 200; // of a file, whose mistakes are retried
const MOST_MISTAKES = 100;
const RANKS = ["loss", "draw", "win"];
const PRIZES = { win: "a win", draw: "the draw" };

/** The puzzles of one game, or of a file of games. */
export class Retry {
  #mistakes = [];
  #place = "column"; // what a move names; in a file always columns
  #at = 0;
  #solved = false;
  #words = "";
  #search = null; // finds the mistakes of a file
  #told = "";
  #more = false; // whether it may find more
  #onChange;

  /** @param {() => void} onChange called when another puzzle, or none, is on the board */
  constructor(onChange) {
    this.#onChange = onChange;
    byId("retry-next").addEventListener("click", () => this.#go(this.#at + 1));
    byId("retry-show").addEventListener("click", () => this.#show());
    byId("retry-end").addEventListener("click", () => {
      this.end();
      byId("record-title").focus({ preventScroll: true });
    });
  }

  /**
   * The mistake that is being retried, or null: a final judgement of /api/review, for a file together with its
   * `replay`.
   */
  get mistake() {
    return this.#mistakes[this.#at] ?? null;
  }

  /** Whether there are puzzles, or some are being searched for. */
  get isOpen() {
    return Boolean(this.mistake || this.#search);
  }

  /** Retry mistakes of a game; `place` is what its moves name, "column" or "cell". */
  begin(mistakes, place) {
    this.#mistakes = mistakes;
    this.#place = place;
    this.#go(0);
  }

  /** Retry the mistakes of a file of games as `findMistakes` reports them, the first as soon as it is found. */
  practise(replays, ofPlayer) {
    this.end();
    this.#place = "column";
    this.#told = "Judging the first game…";
    this.#words = "";
    this.#more = true;
    this.#search = findMistakes(replays, ofPlayer, (found, told, done) => {
      const first = !this.mistake && found.length > 0;
      this.#mistakes.push(...found);
      this.#told = told;
      this.#more = !done;
      if (first) this.#go(0);
      else this.draw();
    });
    this.#onChange();
  }

  /** Leave the puzzles. */
  end() {
    if (!this.isOpen) return;
    this.#search?.close();
    this.#search = null;
    this.#told = "";
    this.#more = false;
    this.#mistakes = [];
    this.#at = 0;
    this.#onChange();
  }

  /** Judge a move made instead of the mistake. @param {number} action */
  judge(action) {
    const { columns } = this.mistake;
    const { kind, text } = columns.find(column => column.action === action);
    this.#solved = kind === this.#prize;
    this.#words = this.#solved ? `Right: ${this.#nameOf(action)} ${verb(text)}.`
      : `Not yet: ${this.#nameOf(action)} ${verb(text)}. Try another one.`;
    this.#tell();
  }

  /** Show the card of the puzzle. */
  draw() {
    const { mistake } = this;
    const count = this.#mistakes.length;
    const last = this.#at >= count - 1;
    byId("retrying").hidden = !this.isOpen;
    byId("retrying-title").textContent = mistake ? `Mistake ${this.#at + 1} of ${count}${this.#more ? " so far" : ""}`
      : this.#more ? "Looking for mistakes…" : "No move has given a result away";
    byId("retrying-detail").textContent = this.#words;
    byId("retrying-progress").textContent = this.#told;
    byId("retry-next").textContent = this.#solved ? "Next" : "Skip";
    byId("retry-next").classList.toggle("primary", this.#solved);
    byId("retry-next").hidden = last && !this.#more;
    byId("retry-next").disabled = last;
    byId("retry-show").hidden = !mistake || this.#solved;
    byId("retry-end").classList.toggle("primary", last && this.#solved && !this.#more);
  }

  /** The best possible result of the position. */
  get #prize() {
    return RANKS[Math.max(...this.mistake.columns.map(({ kind }) => RANKS.indexOf(kind)))];
  }

  #nameOf(action) {
    return `${this.#place} ${action + 1}`;
  }

  #go(at) {
    this.#at = at;
    this.#solved = false;
    const { player, action, text, replay } = this.mistake;
    const where = replay ? `Game ${replay.number + 1}: ` : "";
    this.#words = `${where}${MARKS[player]} played ${this.#nameOf(action)}, which ${verb(text)}. Find a move that keeps ${PRIZES[this.#prize]}.`;
    this.#onChange();
  }

  #show() {
    const good = this.mistake.columns.filter(({ kind }) => kind === this.#prize);
    const names = good.map(({ action, text }) => `${this.#nameOf(action)} ${verb(text)}`);
    this.#solved = true;
    this.#words = `${names.join("; ")}.`.replace(/^c/, "C");
    this.#tell();
  }

  /** Show the words; once a puzzle is solved, focus the button that leads on. */
  #tell() {
    this.draw();
    if (this.#solved) byId(byId("retry-next").disabled ? "retry-end" : "retry-next").focus({ preventScroll: true });
  }
}

/** A result as a verb, which "draw" alone is not. */
function verb(text) {
  return text === "draw" ? "leads to a draw" : text;
}

/**
 * Have games judged, and report the mistakes that changed a result, each once: only those of the games' `player`, or
 * those of both. After each game, `onGame` takes its mistakes with their `replay`, a sentence on the progress, and
 * whether the search is done.
 */
export function findMistakes(replays, ofPlayer, onGame) {
  const met = new Set();
  let source = { close() {} }, at = 0;

  const isNew = ({ ply, replay: { moves } }) => {
    const line = moveNumbers(moves).slice(0, ply + 1).join();
    return !met.has(line) && met.add(line);
  };
  const take = (replay, plies) => {
    const found = plies.filter(({ mistake, player, ply }) => isGrave(mistake)
      && ply >= replay.opening_plies && (!ofPlayer || player === replay.seat));
    const fresh = found.map(judgement => ({ ...judgement, replay })).filter(isNew);
    at++;
    const done = at === replays.length || met.size >= MOST_MISTAKES;
    const games = `${at} of ${replays.length} ${replays.length === 1 ? "game" : "games"}`;
    onGame(fresh, done ? `${games} judged.` : `${games} judged, the next is on its way…`, done);
    if (!done) judge();
  };
  const judge = () => {
    const replay = replays[at], { game, moves } = replay;
    source = stream("review", { game, moves },
      ({ plies, done }) => done && take(replay, plies), () => take(replay, []), "practice");
  };
  judge();
  return { close: () => source.close() };
}
