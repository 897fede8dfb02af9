/**
 * An exact solver of Connect Four (six rows, seven columns, four in a row) in plain numbers.
 *
 * A position is two bitboards, the mover's stones and all stones, laid out as in `envs/bitboard.py`:
 * seven bits per column, from the bottom up, the highest one always 0. JavaScript's bit operations have
 * 32 bits, so a board is a pair: `low` has the columns 1 to 4, `high` 5 to 7.
 *
 * A score is from the mover's view: 1 for a win with its last stone, 2 with the one before, and so on;
 * 0 for a draw, and below 0 if the opponent wins. The search is the usual one (P. Pons' tutorial):
 * alpha-beta with a null window, a table of bounds, the moves with most threats first, no move after
 * which the opponent wins at once, and a bound from the follow-up.
 */

export const ROWS = 6;
export const COLUMNS = 7;
export const CELLS = 42;
export const MIDDLE_FIRST = [3, 2, 4, 1, 5, 0, 6];
const HEIGHT = ROWS + 1;
const SPLIT = 28; // bits of the low half
const LOW = 0xfffffff;
const HIGH = 0x1fffff;
const BOTTOM_LOW = 0x0204081;
const BOTTOM_HIGH = 0x0004081;
const BOARD_LOW = BOTTOM_LOW * 63;
const BOARD_HIGH = BOTTOM_HIGH * 63;
const GUARDS_LOW = BOTTOM_LOW << ROWS; // the bits above the columns
const GUARDS_HIGH = BOTTOM_HIGH << ROWS;
const WIDEST = 21; // above every score
const TABLE = 1 << 21; // entries
const MIRRORED_PLIES = 22; // up to which a position and its mirror image share an entry
const LATE = 32; // from this ply on the follow-up is tried when a position is searched, not before its siblings are
const CHECKED = 1 << 13; // nodes between two readings of the clock

const COLUMN_LOW = Array.from({ length: COLUMNS }, (_, column) => (column < 4 ? 63 << (HEIGHT * column) : 0));
const COLUMN_HIGH = Array.from({ length: COLUMNS }, (_, column) => (column < 4 ? 0 : 63 << (HEIGHT * (column - 4))));

// The results of the last call of `findThreats` (cells) or of `mirror` (the mirror image).
let foundLow = 0, foundHigh = 0;

/** Find all cells, free or not, that would complete a line of a player's stones. */
function findThreats(low, high) {
  // A vertical line lies within one half.
  foundLow = (low << 1) & (low << 2) & (low << 3);
  foundHigh = (high << 1) & (high << 2) & (high << 3);
  findAlong(low, high, HEIGHT - 1);
  findAlong(low, high, HEIGHT);
  findAlong(low, high, HEIGHT + 1);
}

function findAlong(low, high, step) {
  const two = 2 * step, three = 3 * step;
  const right1 = (low >>> step) | (high << (SPLIT - step)), top1 = high >>> step;
  const right2 = (low >>> two) | (high << (SPLIT - two)), top2 = high >>> two;
  const left1 = low << step, up1 = (high << step) | ((low & LOW) >>> (SPLIT - step));
  const left2 = low << two, up2 = (high << two) | ((low & LOW) >>> (SPLIT - two));
  const afterLow = right1 & right2, afterHigh = top1 & top2;
  const beforeLow = left1 & left2, beforeHigh = up1 & up2;
  foundLow |= (afterLow & (left1 | (low >>> three) | (high << (SPLIT - three))))
    | (beforeLow & (right1 | (low << three)));
  foundHigh |= (afterHigh & (up1 | (high >>> three)))
    | (beforeHigh & (top1 | (high << three) | (low >>> (SPLIT - three))));
}

function count(bits) {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Whether cells hold a line. */
function haveLine(low, high) {
  const upLow = low & (low >>> 1), upHigh = high & (high >>> 1);
  return Boolean((upLow & (upLow >>> 2)) | (upHigh & (upHigh >>> 2)))
    || haveLineAlong(low, high, HEIGHT - 1) || haveLineAlong(low, high, HEIGHT) || haveLineAlong(low, high, HEIGHT + 1);
}

function haveLineAlong(low, high, step) {
  const two = 2 * step;
  const pairsLow = low & ((low >>> step) | (high << (SPLIT - step))), pairsHigh = high & (high >>> step);
  const beyondLow = (pairsLow >>> two) | (pairsHigh << (SPLIT - two)), beyondHigh = pairsHigh >>> two;
  return Boolean((pairsLow & beyondLow & LOW) | (pairsHigh & beyondHigh));
}

/** The guard bits of the columns that have any of these cells, in one half; see `guards_of`. */
function guardsLow(cells) {
  return (cells + BOARD_LOW) & GUARDS_LOW;
}

function guardsHigh(cells) {
  return (cells + BOARD_HIGH) & GUARDS_HIGH;
}

/**
 * Whether the score of the mover, who leads, is shown to be at most a bound, because the other player can
 * follow: take the other cell of a pair after each move. `agents/solver/follow_up.py` explains the
 * pairs, and the names of these sets of cells; the race for lines is left out here.
 */
function followUpHolds(leaderLow, leaderHigh, maskLow, maskHigh, completingLow, completingHigh, bound) {
  const freeLow = (maskLow + BOTTOM_LOW) & BOARD_LOW, freeHigh = (maskHigh + BOTTOM_HIGH) & BOARD_HIGH;
  const winsLow = completingLow & ~freeLow, winsHigh = completingHigh & ~freeHigh;
  if (bound < -1 && !(winsLow | winsHigh)) return false;
  let lowerLow = freeLow | ((freeLow << 2) & (BOTTOM_LOW * 60));
  let lowerHigh = freeHigh | ((freeHigh << 2) & (BOTTOM_HIGH * 60));
  lowerLow |= (lowerLow << 4) & (BOTTOM_LOW * 48); // neither shift leads into the next column
  lowerHigh |= (lowerHigh << 4) & (BOTTOM_HIGH * 48);
  const oddLow = guardsLow(freeLow & (BOTTOM_LOW * 42));
  const oddHigh = guardsHigh(freeHigh & (BOTTOM_HIGH * 42));
  const plainLow = guardsLow(winsLow & ~lowerLow);
  const plainHigh = guardsHigh(winsHigh & ~lowerHigh);
  let shiftedLow = oddLow & ~plainLow, shiftedHigh = oddHigh & ~plainHigh;
  if ((count(shiftedLow) + count(shiftedHigh)) & 1) {
    const eitherLow = (oddLow & plainLow) | (guardsLow(winsLow & lowerLow) & ~oddLow);
    const eitherHigh = (oddHigh & plainHigh) | (guardsHigh(winsHigh & lowerHigh) & ~oddHigh);
    if (eitherLow) shiftedLow ^= eitherLow & -eitherLow;
    else if (eitherHigh) shiftedHigh ^= eitherHigh & -eitherHigh;
    else return false; // a column is left without a partner
  }
  const inShiftedLow = shiftedLow - (shiftedLow >>> ROWS), inShiftedHigh = shiftedHigh - (shiftedHigh >>> ROWS);
  const vacantLow = BOARD_LOW & ~maskLow, vacantHigh = BOARD_HIGH & ~maskHigh;
  lowerLow ^= vacantLow & inShiftedLow;
  lowerHigh ^= vacantHigh & inShiftedHigh;
  const basesLow = freeLow & inShiftedLow, basesHigh = freeHigh & inShiftedHigh;
  const upperLow = vacantLow & ~(lowerLow | basesLow), upperHigh = vacantHigh & ~(lowerHigh | basesHigh);
  const endsLow = winsLow & upperLow, endsHigh = winsHigh & upperHigh;
  const endGuardsLow = guardsLow(endsLow), endGuardsHigh = guardsHigh(endsHigh);
  const lowestLow = endsLow & (endGuardsLow - endsLow), lowestHigh = endsHigh & (endGuardsHigh - endsHigh);
  const beyondLow = endGuardsLow - (lowestLow << 1), beyondHigh = endGuardsHigh - (lowestHigh << 1);
  const ends = count(lowestLow) + count(lowestHigh);
  if (ends) {
    if (-((count(beyondLow) + count(beyondHigh) + 2 * ends) >> 1) > bound) return false;
  } else if (bound < 0) {
    const followerLow = maskLow ^ leaderLow | upperLow, followerHigh = maskHigh ^ leaderHigh | upperHigh;
    if (bound < -1 || !haveLine(followerLow, followerHigh)) return false;
  }
  const leadLow = leaderLow | (lowerLow & ~beyondLow), leadHigh = leaderHigh | (lowerHigh & ~beyondHigh);
  if (count(basesLow) + count(basesHigh) !== 2) return !haveLine(leadLow | basesLow, leadHigh | basesHigh);
  const oneLow = basesLow & -basesLow, oneHigh = oneLow ? 0 : basesHigh & -basesHigh; // the leader gets one base
  return !haveLine(leadLow | oneLow, leadHigh | oneHigh)
    && !haveLine(leadLow | (basesLow ^ oneLow), leadHigh | (basesHigh ^ oneHigh));
}

/** An unfinished position. */
export class Position {
  /** @param {number[]} actions columns, counted from 0 */
  constructor(actions = []) {
    this.moverLow = 0;
    this.moverHigh = 0;
    this.maskLow = 0;
    this.maskHigh = 0;
    this.ply = 0;
    for (const action of actions) this.play(action);
  }

  /** Drop a stone of the mover; the other player is the mover then. @param {number} column with room */
  play(column) {
    this.moverLow ^= this.maskLow;
    this.moverHigh ^= this.maskHigh;
    this.maskLow |= (this.maskLow + BOTTOM_LOW) & COLUMN_LOW[column];
    this.maskHigh |= (this.maskHigh + BOTTOM_HIGH) & COLUMN_HIGH[column];
    this.ply++;
  }

  /** @param {number} column @returns {Position} the one after a move */
  after(column) {
    const next = Object.assign(new Position(), this);
    next.play(column);
    return next;
  }

  /** @returns {number[]} columns with room, the middle first */
  get legal() {
    return MIDDLE_FIRST.filter(column => this.#landing(column).some(Boolean));
  }

  /** @param {number} column @returns {boolean} whether a stone there makes a line */
  wins(column) {
    const [low, high] = this.#landing(column);
    findThreats(this.moverLow, this.moverHigh);
    return Boolean((foundLow & low) | (foundHigh & high));
  }

  #landing(column) {
    return [
      (this.maskLow + BOTTOM_LOW) & COLUMN_LOW[column], (this.maskHigh + BOTTOM_HIGH) & COLUMN_HIGH[column],
    ];
  }
}

/** Thrown when the time is up. */
export class TimeUp extends Error {}

/** Solves positions, and keeps bounds of visited positions in a table. */
export class Solver {
  #keys = new Int32Array(TABLE);
  #rest = new Int32Array(TABLE); // the high half of the key, with the bound above it
  #moves = new Int32Array(3 * COLUMNS * (CELLS + 1)); // of each ply: low, high, threats made
  #deadline = Infinity;
  #nodes = 0;

  /** The exact score of an unfinished position; throws `TimeUp` once `performance.now()` reaches the deadline. */
  score(position, deadline = Infinity) {
    const { ply } = position;
    if (position.legal.some(column => position.wins(column))) return (CELLS + 1 - ply) >> 1;
    let least = -((CELLS - ply) >> 1), most = (CELLS + 1 - ply) >> 1;
    while (least < most) {
      let bound = least + ((most - least) >> 1);
      if (bound <= 0 && Math.trunc(least / 2) < bound) bound = Math.trunc(least / 2);
      else if (bound >= 0 && Math.trunc(most / 2) > bound) bound = Math.trunc(most / 2);
      if (this.#beats(position, bound, deadline)) least = bound + 1;
      else most = bound;
    }
    return least;
  }

  /** The score of a move, from the view of its player. */
  moveScore(position, column, deadline) {
    if (position.wins(column)) return (CELLS + 1 - position.ply) >> 1;
    return position.ply === CELLS - 1 ? 0 : -this.score(position.after(column), deadline);
  }

  /** Whether the score of a move, from the view of its player, is at least `score`. */
  keeps(position, column, score, deadline = Infinity) {
    if (position.wins(column)) return true;
    if (position.ply === CELLS - 1) return score <= 0;
    const next = position.after(column);
    const loss = -((CELLS - position.ply) >> 1);
    return next.legal.some(reply => next.wins(reply)) ? score <= loss : !this.#beats(next, -score, deadline);
  }

  /** Whether the score of a position, in which nobody wins at once, is above a bound. */
  #beats({ moverLow, moverHigh, maskLow, maskHigh, ply }, bound, deadline) {
    this.#deadline = deadline;
    return this.#search(moverLow, moverHigh, maskLow, maskHigh, ply, bound, bound + 1) > bound;
  }

  /** The score if it is within the window; else a bound on the same side of the window. */
  #search(moverLow, moverHigh, maskLow, maskHigh, ply, alpha, beta) {
    if ((++this.#nodes & (CHECKED - 1)) === 0 && performance.now() > this.#deadline) throw new TimeUp();
    const otherLow = moverLow ^ maskLow, otherHigh = moverHigh ^ maskHigh;
    let freeLow = (maskLow + BOTTOM_LOW) & BOARD_LOW, freeHigh = (maskHigh + BOTTOM_HIGH) & BOARD_HIGH;
    findThreats(otherLow, otherHigh);
    const dangerLow = foundLow & BOARD_LOW & ~maskLow, dangerHigh = foundHigh & BOARD_HIGH & ~maskHigh;
    const forcedLow = freeLow & dangerLow, forcedHigh = freeHigh & dangerHigh;
    if (forcedLow | forcedHigh) {
      // Two winning cells of the opponent cannot both be blocked.
      if (count(forcedLow) + count(forcedHigh) > 1) return -((CELLS - ply) >> 1);
      freeLow = forcedLow;
      freeHigh = forcedHigh;
    }
    // A stone below a winning cell of the opponent would let them play there.
    freeLow &= ~(dangerLow >>> 1);
    freeHigh &= ~(dangerHigh >>> 1);
    if (!(freeLow | freeHigh)) return -((CELLS - ply) >> 1);
    if (ply >= CELLS - 2) return 0;
    const worst = -((CELLS - 2 - ply) >> 1);
    if (alpha < worst) {
      alpha = worst;
      if (alpha >= beta) return alpha;
    }
    let keyLow = moverLow + maskLow, keyHigh = moverHigh + maskHigh;
    if (ply < MIRRORED_PLIES) {
      const imageHigh = ((keyLow & 127) << 14) | (keyLow & 16256) | ((keyLow >>> 14) & 127);
      const imageLow = ((keyLow >>> 21) << 21) | ((keyHigh & 127) << 14) | (keyHigh & 16256) | (keyHigh >>> 14);
      if (imageHigh < keyHigh || (imageHigh === keyHigh && imageLow < keyLow)) {
        keyLow = imageLow;
        keyHigh = imageHigh;
      }
    }
    const place = (Math.imul(keyLow, 0x9e3779b1) ^ Math.imul(keyHigh, 0x85ebca6b) >>> 3) >>> 11;
    let best = (CELLS - 1 - ply) >> 1;
    if (this.#keys[place] === keyLow && (this.#rest[place] & HIGH) === keyHigh) {
      const known = this.#rest[place] >>> 21; // below 64 an upper bound, above 64 a lower one
      if (known >= 64) {
        const least = known - 64 - WIDEST;
        if (alpha < least) {
          alpha = least;
          if (alpha >= beta) return alpha;
        }
      } else if (known) {
        best = Math.min(best, known - WIDEST);
      }
    }
    if (beta > best) {
      beta = best;
      if (alpha >= beta) return beta;
    }
    const late = ply >= LATE;
    if (late && followUpHolds(moverLow, moverHigh, maskLow, maskHigh, dangerLow, dangerHigh, alpha)) return alpha;
    const moves = this.#moves, first = ply * 3 * COLUMNS;
    let end = first;
    for (let index = 0; index < COLUMNS; index++) {
      const column = MIDDLE_FIRST[index];
      const low = freeLow & COLUMN_LOW[column], high = freeHigh & COLUMN_HIGH[column];
      if (!(low | high)) continue;
      findThreats(moverLow | low, moverHigh | high);
      const filledLow = maskLow | low, filledHigh = maskHigh | high;
      const threatsLow = foundLow & BOARD_LOW & ~filledLow, threatsHigh = foundHigh & BOARD_HIGH & ~filledHigh;
      if (!late && followUpHolds(otherLow, otherHigh, filledLow, filledHigh, threatsLow, threatsHigh, -beta)) {
        return beta;
      }
      const made = count(threatsLow) + count(threatsHigh);
      let at = end;
      for (; at > first && moves[at - 1] < made; at -= 3) {
        moves[at] = moves[at - 3];
        moves[at + 1] = moves[at - 2];
        moves[at + 2] = moves[at - 1];
      }
      moves[at] = low;
      moves[at + 1] = high;
      moves[at + 2] = made;
      end += 3;
    }
    for (let at = first; at < end; at += 3) {
      const score = -this.#search(
        otherLow, otherHigh, maskLow | moves[at], maskHigh | moves[at + 1], ply + 1, -beta, -alpha);
      if (score >= beta) {
        this.#keys[place] = keyLow;
        this.#rest[place] = keyHigh | ((score + WIDEST + 64) << 21);
        return score;
      }
      if (score > alpha) alpha = score;
    }
    this.#keys[place] = keyLow;
    this.#rest[place] = keyHigh | ((alpha + WIDEST) << 21);
    return alpha;
  }
}
