/**
 * A worker of the page without a server: it finds moves, values moves and judges games, by books and by
 * the solver. It works on several questions in turn, with a slice of time for each.
 *
 * It receives `{book, repertoire}` at first, then `{id, kind, ...}` to begin and `{id, kind: "end"}` to end a question,
 * and posts `{id, answer}` or `{id, error}`; an answer with `done` is the last.
 */

import { OpeningBook } from "./openings.js";
import { Repertoire } from "./repertoire.js";
import { CELLS, COLUMNS, Position, ROWS, Solver, TimeUp } from "./solver.js";

const FIRST_SLICE = 60; // milliseconds until the other questions get their turn
const LONGEST_SLICE = 8000;
const EXACT = 99; // the depth of a level that solves
const PROVEN_SHARE = 0.5; // the least balance of a proven win, as in submission/web/searching/views.py

const solver = new Solver();
const wanted = new Set(); // the ids of the open questions
let book, repertoire;

onmessage = async ({ data }) => {
  if (data.book) {
    book = OpeningBook.open(data.book);
    repertoire = new Repertoire(data.repertoire);
  } else if (data.kind === "end") {
    wanted.delete(data.id);
  } else {
    wanted.add(data.id);
    try {
      await QUESTIONS[data.kind](data, (await book), answer => wanted.has(data.id) && postMessage({ id: data.id, answer }));
    } catch (error) {
      if (error !== ENDED) postMessage({ id: data.id, error: String(error.message) });
    }
    wanted.delete(data.id);
  }
};

const ENDED = new Error("nobody wants the answer any more");

/** Solve something in slices of time, between which other questions get their turn. */
async function inSlices(id, solve) {
  for (let slice = FIRST_SLICE; ; slice = Math.min(2 * slice, LONGEST_SLICE)) {
    try {
      return solve(performance.now() + slice);
    } catch (error) {
      if (!(error instanceof TimeUp)) throw error;
    }
    await turn(id);
  }
}

/** Let other questions have their turn; throws `ENDED` if this one has been ended. */
async function turn(id) {
  await new Promise(resolve => setTimeout(resolve));
  if (!wanted.has(id)) throw ENDED;
}

const QUESTIONS = {
  /** Find a move: exactly best at depth `EXACT`, else by looking `depth` plies ahead. */
  async move({ id, actions, depth }, opened, tell) {
    const position = new Position(actions);
    const begun = performance.now();
    const column = depth >= EXACT
      ? repertoire.move(actions) ?? await bestMove(id, position, opened) : await seenMove(id, position, depth);
    tell({ action: column, value: null, elapsed: (performance.now() - begun) / 1000, engine: "browser", done: true });
  },

  /** Report the value of each move as soon as it is known. */
  async values({ id, actions }, opened, tell) {
    const position = new Position(actions);
    const scores = new Map();
    tell(valuesView(position, scores));
    for (const column of position.legal) {
      scores.set(column, await moveScore(id, position, column, opened));
      tell(valuesView(position, scores));
    }
  },

  /** Judge the moves of a game, from the last one backwards. */
  async review({ id, actions }, opened, tell) {
    const plies = [];
    for (let ply = actions.length - 1; ply >= 0; ply--) {
      const position = new Position(actions.slice(0, ply));
      const scores = new Map();
      for (const column of position.legal) scores.set(column, await moveScore(id, position, column, opened));
      plies.unshift(judgement(position, actions[ply], scores));
      tell({ plies, done: ply === 0 });
      await turn(id);
    }
    if (!actions.length) tell({ plies, done: true });
  },
};

async function moveScore(id, position, column, opened) {
  if (position.wins(column)) return (CELLS + 1 - position.ply) >> 1;
  const known = opened.score(position.after(column));
  return known === null
    ? inSlices(id, deadline => solver.moveScore(position, column, deadline)) : -known;
}

async function bestMove(id, position, opened) {
  const columns = position.legal;
  const winning = columns.find(column => position.wins(column));
  if (winning !== undefined) return winning;
  const known = opened.score(position);
  const score = known ?? await inSlices(id, deadline => solver.score(position, deadline));
  for (const column of columns) {
    const next = opened.score(position.after(column));
    const kept = next === null
      ? await inSlices(id, deadline => solver.keeps(position, column, score, deadline)) : -next >= score;
    if (kept) return column;
  }
  throw new Error("no move keeps the score");
}

/** A move by wins and losses within `depth` plies, and otherwise by the number of lines through its cell. */
async function seenMove(id, position, depth) {
  const ranked = [];
  for (const column of position.legal) {
    const seen = depth ? await inSlices(id, deadline => outcomeSeen(position, column, depth, deadline)) : 0;
    ranked.push({ column, worth: 100 * seen + (depth ? liking(position, column) : 0) + Math.random() });
  }
  return ranked.reduce((one, other) => (other.worth > one.worth ? other : one)).column;
}

/** 2 for a win at once, 1 or -1 for a win or a loss within `depth` plies, else 0. */
function outcomeSeen(position, column, depth, deadline) {
  if (position.wins(column)) return 2;
  const within = plies => (CELLS + 2 - position.ply - plies) >> 1; // the score of a win by then
  const win = within(depth - 1 + (depth % 2)), loss = within(depth - (depth % 2));
  if (depth > 2 && solver.keeps(position, column, win, deadline)) return 1;
  return depth > 1 && !solver.keeps(position, column, 1 - loss, deadline) ? -1 : 0;
}

/** The number of lines of four that include the next cell of a column. */
function liking(position, column) {
  const half = column < 4 ? position.maskLow >>> (7 * column) : position.maskHigh >>> (7 * (column - 4));
  const up = Math.min(31 - Math.clz32((half & 63) + 1), ROWS - 1);
  const across = Math.min(column, COLUMNS - 1 - column), above = Math.min(up, ROWS - 1 - up);
  return (across + 1) + (above + 1) + 2 * Math.max(0, Math.min(across, above) + Math.min(across, 1));
}

// Words and signs, as in agents and pages

/** The plies until a game ends, as `plies_left` of `agents/solver/score_words.py`. */
function pliesLeft(ply, score) {
  if (score === 0) return CELLS - ply;
  const begun = (ply % 2 === 0) === score > 0;
  return 2 * (CELLS / 2 + 1 - Math.abs(score)) - Number(begun) - ply;
}

function valueView(ply, score) {
  if (score === undefined) {
    return { kind: "unknown", plies: null, exact: false, text: "not decided yet", short: "?", least: -1, most: 1, estimate: null };
  }
  const result = Math.sign(score), plies = pliesLeft(ply, score);
  const kind = { 1: "win", 0: "draw", "-1": "loss" }[result];
  const moves = Math.ceil(plies / 2), count = moves === 1 ? "1 move" : `${moves} moves`; // the winner's own
  return {
    kind, plies, exact: true,
    text: result ? `${result > 0 ? "wins" : "loses"} in ${count}` : kind,
    short: result ? `${kind} · ${moves}` : kind,
    least: result, most: result, estimate: null,
  };
}

/** How certain a win of player 1 (1) or player 2 (-1) is, for a bar or a curve. */
function balance(ply, score) {
  const sign = ply % 2 ? -1 : 1;
  return sign * Math.sign(score) * (1 - (1 - PROVEN_SHARE) * pliesLeft(ply, score) / CELLS);
}

function columnsView(position, scores) {
  const known = [...scores.values()];
  let best = scores.size === position.legal.length ? Math.max(...known) : Infinity;
  if (best < 0 && known.every(score => score === best)) best = Infinity; // if all lose equally soon, none stands out
  return position.legal.toSorted((one, other) => one - other).map(action => ({
    action, best: scores.get(action) === best, ...valueView(position.ply, scores.get(action)),
  }));
}

function valuesView(position, scores) {
  const done = scores.size === position.legal.length;
  const score = done ? Math.max(...scores.values()) : undefined;
  return {
    columns: columnsView(position, scores),
    position: { ...valueView(position.ply, score), balance: done ? balance(position.ply, score) : null },
    player: 1 + (position.ply % 2), phase: "solving", done,
  };
}

function judgement(position, action, scores) {
  const best = Math.max(...scores.values()), chosen = scores.get(action);
  return {
    ply: position.ply, player: 1 + (position.ply % 2), action,
    value: balance(position.ply, chosen),
    text: valueView(position.ply, chosen).text,
    mistake: mistakeOf(best, chosen),
    best: [...scores].filter(([, score]) => score === best).map(([column]) => column).sort(),
    columns: columnsView(position, scores),
  };
}

function mistakeOf(best, chosen) {
  const names = ["loss", "draw", "win"];
  const [before, after] = [best, chosen].map(score => names[Math.sign(score) + 1]);
  if (before !== after) return `${before}-to-${after}`;
  return chosen < best ? "slower" : null;
}
