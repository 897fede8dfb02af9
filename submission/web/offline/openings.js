/**
 * The opening book in the browser: exact scores of all positions of the first plies.
 *
 * The format is that of `agents/book/book_format.py`: the scores after the last ply of the book, in
 * ascending order of the positions' keys. The keys are computed by the rules, and the scores after fewer
 * plies from those after more, as in `agents/book/opening_book.py`.
 */

import { CELLS, COLUMNS, Position } from "./solver.js";

const HEADER = 14;
const CHECKSUM = 4;
const HALF = 2 ** 28;

/** Looks scores up. */
export class OpeningBook {
  #plies = []; // for each, the keys in ascending order and their scores

  /** Read a book. @param {Uint8Array} bytes @returns {Promise<OpeningBook>} */
  static async open(bytes) {
    const packed = new Blob([bytes.subarray(HEADER, bytes.length - CHECKSUM)]).stream();
    const unpacked = packed.pipeThrough(new DecompressionStream("deflate"));
    const scores = new Int8Array(await new Response(unpacked).arrayBuffer());
    const plies = new DataView(bytes.buffer, bytes.byteOffset).getUint16(HEADER - 2, true);
    const book = new OpeningBook();
    let positions = [new Position()];
    for (let ply = 0; ply < plies; ply++) {
      book.#plies.push({ positions, keys: Float64Array.from(positions, keyOf) });
      positions = following(positions);
    }
    book.#plies.push({ keys: Float64Array.from(positions, keyOf), scores });
    for (let ply = plies - 1; ply >= 0; ply--) book.#scoreBefore(ply);
    return book;
  }

  /** The score of an unfinished position; null if it is beyond the book. */
  score(position) {
    const known = this.#plies[position.ply];
    return known ? known.scores[placeOf(known.keys, keyOf(position))] : null;
  }

  #scoreBefore(ply) {
    const { positions } = this.#plies[ply];
    this.#plies[ply].scores = Int8Array.from(positions, position => Math.max(
      ...position.legal.map(column => (position.wins(column)
        ? (CELLS + 1 - ply) >> 1 : -this.score(position.after(column))))));
    delete this.#plies[ply].positions;
  }
}

/** The unfinished positions after one more ply, by key, one of each pair of mirror images. */
function following(positions) {
  const found = new Map();
  for (const position of positions) {
    for (const column of position.legal) {
      if (position.wins(column)) continue;
      const next = position.after(column);
      found.set(keyOf(next), next);
    }
  }
  return [...found].sort(([one], [other]) => one - other).map(([, position]) => position);
}

/** The key of a position and its mirror image: the smaller sum of the mover's stones and all stones. */
function keyOf({ moverLow, moverHigh, maskLow, maskHigh }) {
  const low = moverLow + maskLow, high = moverHigh + maskHigh;
  let imageLow = 0, imageHigh = 0;
  for (let column = 0; column < COLUMNS; column++) {
    const bits = column < 4 ? (low >>> (7 * column)) & 127 : (high >>> (7 * (column - 4))) & 127;
    const place = COLUMNS - 1 - column;
    if (place < 4) imageLow |= bits << (7 * place);
    else imageHigh |= bits << (7 * (place - 4));
  }
  return Math.min(high * HALF + low, imageHigh * HALF + imageLow);
}

function placeOf(keys, key) {
  let least = 0, most = keys.length - 1;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (keys[middle] < key) least = middle + 1;
    else most = middle;
  }
  return least;
}
