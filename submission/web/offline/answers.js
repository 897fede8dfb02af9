/**
 * Answers the page's questions in place of `api.js` where there is no server, by the rules in this module and
 * workers that solve. Only Connect Four is supported.
 */

import { moveNumbers } from "./address.js";
import { CELLS, COLUMNS, ROWS } from "./solver.js";

const GAME = "connectx-6x7x4";
const EXACT = 99;
const DEEPEST = 12;

/** The data that `connectx web --export` has written into the page. */
const { book, levels, repertoire, saved, thinker, version } = window.exported;

/** Does nothing, because there is no connection to lose. */
export function onConnection() {}

/** The data that the page needs to start. */
export async function getSetup() {
  const depth = { name: "depth", help: "plies that it looks ahead", type: "integer", nullable: false, default: 6, least: 1, most: DEEPEST };
  const agents = [
    { name: "level", help: "Ten levels of strength.", game: null, search: null, options: [] },
    { name: "perfect", help: "Plays without a mistake, by heart and by a solver.", game: null, search: null, options: [] },
    { name: "alphabeta", help: "Sees wins and losses some plies ahead.", game: null, search: {}, options: [depth] },
  ];
  return {
    version, agents, levels, files: [],
    games: [{ name: GAME, title: "Connect Four", place: "column", sizes: {} }],
    seconds: { default: 2, least: 1, most: 30 },
  };
}

/** The frame of the page in which games are saved. */
export async function getSavedFrame() {
  return saved;
}

/** Answer a question, or reject with a sentence; see `api.js`. */
export async function post(path, question, signal) {
  if (path === "position") return positionView(question);
  if (path === "move") return askMove(question, signal);
  throw new Error(elsewhere(path === "files" ? "A file of games" : "This"));
}

export const postAsPage = post;

/** Answer with snapshots; see `api.js`. */
export function stream(path, question, onSnapshot, onError) {
  const close = path === "search" ? () => {}
    : ask(path, { actions: positionView(question).actions }, onSnapshot, onError);
  if (path === "search") setTimeout(() => onError(elsewhere("A search's tree")));
  return { close };
}

function elsewhere(what) {
  return `${what} needs a server: install connectx, and run connectx web.`;
}

// The workers: one for moves, so that no game waits for values, and one for everything else

const answered = new Map(); // the handlers of answers, by the number of the question
const workers = new Map(); // by whether they find moves
let questions = 0;

/** Send a question to a worker; returns a function that ends it. */
function ask(kind, question, onAnswer, onError) {
  const id = ++questions, isMove = kind === "move";
  answered.set(id, { isMove, onAnswer, onError });
  if (!workers.has(isMove)) workers.set(isMove, startWorker(isMove));
  workers.get(isMove).postMessage({ id, kind, ...question });
  return () => {
    answered.delete(id);
    workers.get(isMove)?.postMessage({ id, kind: "end" });
  };
}

function startWorker(isMove) {
  const made = new Worker(URL.createObjectURL(new Blob([thinker], { type: "text/javascript" })));
  made.onerror = () => {
    workers.delete(isMove);
    for (const [id, asked] of answered) {
      if (asked.isMove !== isMove) continue;
      answered.delete(id);
      asked.onError("The solver cannot run in this browser, or on this web host.");
    }
  };
  made.postMessage({ book: bytesOf(book), repertoire: bytesOf(repertoire) });
  made.onmessage = ({ data: { id, answer, error } }) => {
    const asked = answered.get(id);
    if (!asked) return;
    if (error || answer.done) answered.delete(id);
    if (error) asked.onError(error);
    else asked.onAnswer(answer);
  };
  return made;
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), sign => sign.charCodeAt(0));
}

function askMove({ moves, agent: { name, options } }, signal) {
  const { actions } = positionView({ game: GAME, moves });
  return new Promise((resolve, reject) => {
    const end = ask("move", { actions, depth: depthOf(name, options ?? {}) }, resolve, sentence => reject(new Error(sentence)));
    signal?.addEventListener("abort", () => {
      end();
      reject(signal.reason);
    });
  });
}

/** The plies that an agent looks ahead in this move. */
function depthOf(name, options) {
  if (name === "perfect") return EXACT;
  if (name === "alphabeta") return Math.min(options.depth ?? 6, DEEPEST);
  const level = levels.find(({ n }) => n === options.n);
  if (!level) throw new Error("This opponent needs a server: choose another one.");
  return Math.random() < level.slips ? level.slip_depth : level.depth;
}

// The rules

/** Describe a position, as the server does. */
function positionView({ game, moves }) {
  if (game !== GAME) throw new Error(elsewhere("Another game than Connect Four"));
  const actions = readMoves(moves);
  const cells = Array(CELLS).fill(0), placed = [];
  let line = [];
  actions.forEach((column, ply) => {
    const legal = line.length ? [] : columnsWithRoom(cells);
    if (!legal.includes(column)) {
      const advice = legal.length ? `legal: ${legal.map(free => free + 1).join(", ")}` : "the game is over";
      throw new Error(`move ${ply + 1} is ${column + 1}: ${advice}`);
    }
    let cell = CELLS - COLUMNS + column;
    while (cells[cell]) cell -= COLUMNS;
    cells[cell] = 1 + (ply % 2);
    placed.push(cell);
    line = lineThrough(cells, cell);
  });
  const over = line.length > 0 || actions.length === CELLS;
  return {
    game, title: "Connect Four", rows: ROWS, columns: COLUMNS, inarow: 4, place: "column",
    moves: actions.map(action => action + 1).join(""), actions, cells, placed,
    player: 1 + (actions.length % 2), legal: over ? [] : columnsWithRoom(cells), over,
    winner: line.length ? cells[line[0]] : null, line, last: placed.at(-1) ?? null,
  };
}

function readMoves(moves) {
  const numbers = moveNumbers(moves);
  if (!numbers.every(number => /^\d{1,3}$/.test(number) && Number(number) > 0)) {
    throw new Error(`${JSON.stringify(moves.slice(0, 60))} are no moves: columns are numbers, as in 4453`);
  }
  return numbers.map(number => Number(number) - 1);
}

function columnsWithRoom(cells) {
  return Array.from({ length: COLUMNS }, (_, column) => column).filter(column => !cells[column]);
}

/** All cells of the lines completed by a stone, in ascending order. */
function lineThrough(cells, cell) {
  const row = Math.floor(cell / COLUMNS), column = cell % COLUMNS, found = new Set();
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    const run = [];
    for (let step = -3; step <= 3; step++) {
      const [r, c] = [row + step * down, column + step * right];
      const inside = r >= 0 && r < ROWS && c >= 0 && c < COLUMNS && cells[r * COLUMNS + c] === cells[cell];
      if (inside) run.push(r * COLUMNS + c);
      else if (step < 0) run.length = 0;
      else break;
    }
    if (run.length >= 4) run.forEach(each => found.add(each));
  }
  return [...found].sort((one, other) => one - other);
}
