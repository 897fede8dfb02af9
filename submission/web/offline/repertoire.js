/**
 * The repertoire in the browser: an exactly best move, without a search, for each position that a player who
 * follows it can meet, as in `agents/book/repertoire.py` and `agents/book/retrieval.py`.
 */

import { COLUMNS, MIDDLE_FIRST, ROWS } from "./solver.js";

const HEADER = 26;
const RANK_BITS = 6n;
const HEIGHT = 7n;
const BOTTOM = Array.from({ length: COLUMNS }, (_, column) => 1n << (HEIGHT * BigInt(column))).reduce((a, b) => a | b);
const BOARD = BOTTOM * 63n;
const WORD = (1n << 64n) - 1n;

/** Looks moves up. */
export class Repertoire {
  #bytes;
  #plies; // the last one for all positions, and for those that player 1 and player 2 meet
  #seed;
  #segment;
  #segments;
  #met = new Map();

  /** @param {Uint8Array} bytes in the format of `agents/book/book_format.py` */
  constructor(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    this.#bytes = bytes;
    this.#plies = [12, 14, 16].map(at => view.getUint16(at, true));
    this.#seed = BigInt(view.getUint16(18, true));
    this.#segment = view.getUint16(20, true);
    this.#segments = view.getUint32(22, true);
  }

  /** The column to play after the plies of an unfinished game; null if the repertoire has none. */
  move(actions) {
    let stones = { mover: 0n, mask: 0n };
    for (const column of actions) stones = after(stones, (stones.mask + BOTTOM) & cellsOf(column));
    const ply = actions.length;
    const met = ply <= this.#plies[0] || (ply <= this.#plies[1 + (ply % 2)] && this.#isMet(stones, ply));
    if (met) return this.#column(stones);
    const moves = promisingMoves(stones);
    return moves.length === 1 ? columnOf(moves[0]) : null;
  }

  /** Whether the player to move can meet a position, or its mirror image. */
  #isMet(stones, ply) {
    if (ply <= 1) return true;
    const key = stones.mover + stones.mask;
    if (!this.#met.has(key)) {
      this.#met.set(key, twoPliesBefore(stones).some(([before, column]) =>
        this.#columns(before).includes(column) && this.#isMet(before, ply - 2)));
    }
    return this.#met.get(key);
  }

  /** The move in a position, and that of its mirror image if it is the same position. */
  #columns(stones) {
    const column = this.#column(stones);
    return mirrored(stones.mover + stones.mask) === stones.mover + stones.mask
      ? [column, COLUMNS - 1 - column] : [column];
  }

  #column(stones) {
    const image = { mover: mirrored(stones.mover), mask: mirrored(stones.mask) };
    return image.mover + image.mask < stones.mover + stones.mask
      ? COLUMNS - 1 - columnOf(this.#promised(image)) : columnOf(this.#promised(stones));
  }

  #promised(stones) {
    const moves = promisingMoves(stones);
    const key = (stones.mover + stones.mask) << RANK_BITS;
    return moves.slice(0, -1).find((_, rank) => this.#bit(key | BigInt(rank))) ?? moves.at(-1);
  }

  #bit(key) {
    let mixed = (key + ((key >> 64n) + 1n) * (2n * this.#seed + 1n) * 0x9e3779b97f4a7c15n) & WORD;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & WORD;
    mixed ^= mixed >> 31n;
    const first = this.#segment * Number(((mixed >> 42n) * BigInt(this.#segments - 2)) >> 22n);
    const within = shift => Number((mixed >> shift) & BigInt(this.#segment - 1));
    return [first + within(0n), first + this.#segment + within(14n), first + 2 * this.#segment + within(28n)]
      .reduce((bit, place) => bit ^ (this.#bytes[HEADER + (place >> 3)] >> (place & 7)), 0) & 1;
  }
}

/** The cells that include a best move, or one as good, the likeliest first. */
function promisingMoves({ mover, mask }) {
  const free = (mask + BOTTOM) & BOARD;
  const wins = completing(mover) & BOARD & ~mask;
  const threats = completing(mask ^ mover) & BOARD & ~mask;
  if (wins & free) return [lowest(wins & free)];
  const safe = safeCells(free, threats);
  if (!safe) return [lowest(free & threats || free)];
  const ranked = [];
  for (const [place, column] of MIDDLE_FIRST.entries()) {
    const move = safe & cellsOf(column);
    if (!move) continue;
    const filled = mask | move;
    const made = completing(mover | move) & BOARD & ~filled;
    const left = (filled + BOTTOM) & BOARD;
    if (left && !safeCells(left, made)) return [move];
    ranked.push({ move, rank: ((move << 1n) & wins ? 2 : 0) - cellsIn(made).length, place });
  }
  return ranked.sort((one, other) => one.rank - other.rank || one.place - other.place).map(({ move }) => move);
}

/** The cells after which the opponent cannot win at once by one of these threats. */
function safeCells(possible, threats) {
  const blocks = possible & threats;
  if (blocks & (blocks - 1n)) return 0n;
  return (blocks || possible) & ~(threats >> 1n);
}

/** The cells, including ones off the board, that would complete a line of stones. */
function completing(stones) {
  let found = (stones << 1n) & (stones << 2n) & (stones << 3n);
  for (const step of [HEIGHT - 1n, HEIGHT, HEIGHT + 1n]) {
    const below = (stones << step) & (stones << (2n * step)), above = (stones >> step) & (stones >> (2n * step));
    found |= (below & ((stones << (3n * step)) | (stones >> step))) | (above & ((stones >> (3n * step)) | (stones << step)));
  }
  return found;
}

/** The possible positions two plies before, each with the column that the same player then played. */
function twoPliesBefore({ mover, mask }) {
  return cellsIn(highest(mask) & ~mover).flatMap(reply => cellsIn(highest(mask ^ reply) & mover).map(move =>
    [{ mover: mover ^ move, mask: mask ^ reply ^ move }, columnOf(move)]));
}

function after({ mover, mask }, cell) {
  return { mover: mover ^ mask, mask: mask | cell };
}

/** The highest stone of each column. */
function highest(mask) {
  return ((mask + BOTTOM) >> 1n) & BOARD;
}

function cellsOf(column) {
  return 63n << (HEIGHT * BigInt(column));
}

function cellsIn(cells) {
  const found = [];
  for (; cells; cells &= cells - 1n) found.push(lowest(cells));
  return found;
}

function lowest(cells) {
  return cells & -cells;
}

function columnOf(cell) {
  return Math.floor((cell.toString(2).length - 1) / (ROWS + 1));
}

function mirrored(cells) {
  let image = 0n;
  for (let column = 0; column < COLUMNS; column++, cells >>= HEIGHT) image = (image << HEIGHT) | (cells & 127n);
  return image;
}
