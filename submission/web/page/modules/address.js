/**
 * The state of the page: the fragment of its address, and the settings stored in the browser.
 *
 * `#game=connectx-6x7x4&moves=4453&ply=2&view=search&first=person&second=level:n=5`
 */

import { byId } from "./dom.js";

export const PERSON = { name: "person", options: {} };
export const DEFAULT_GAME = "connectx-6x7x4";
const VIEWS = ["play", "search", "replays"];

/** @typedef {object} Seat `name`: "person", or an agent; its `options`, and its `seconds` for each move, if given */

/** @typedef {object} Place what the address states: `view`, `game`, `moves`, `seats`, `replay`; `ply`, null at the end */

/** Read a fragment; missing parts have their defaults. @param {string} fragment @returns {Place} */
export function readAddress(fragment) {
  const read = new URLSearchParams(fragment.replace(/^#/, ""));
  const view = read.get("view");
  return {
    view: VIEWS.includes(view) ? view : "play",
    game: read.get("game") ?? DEFAULT_GAME,
    moves: read.get("moves") ?? "",
    ply: whole(read.get("ply")),
    seats: read.has("first") && read.has("second")
      ? [readSeat(read.get("first")), readSeat(read.get("second"))]
      : null,
    replay: read.has("replay")
      ? { file: whole(read.get("file")) ?? 0, number: whole(read.get("replay")) ?? 0 }
      : null,
  };
}

/** Write a fragment that `readAddress` reads. @param {Place} place @returns {string} */
export function writeAddress({ view, game, moves, ply, seats, replay }) {
  const written = new URLSearchParams({ game, moves });
  if (ply !== null) written.set("ply", String(ply));
  if (view !== "play") written.set("view", view);
  if (seats) {
    written.set("first", seatText(seats[0]));
    written.set("second", seatText(seats[1]));
  }
  if (replay) {
    written.set("file", String(replay.file));
    written.set("replay", String(replay.number));
  }
  return `#${written.toString().replaceAll("%3A", ":").replaceAll("%3D", "=").replaceAll("%2C", ",")}`;
}

function whole(text) {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null;
}

function seatText({ name, options, seconds }) {
  const given = Object.entries({ ...options, ...(seconds ? { seconds } : {}) });
  const text = given.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(";");
  return text ? `${name}:${text}` : name;
}

function readSeat(text) {
  const [, name, given] = text.match(/^([^:]*):?(.*)$/s);
  const { seconds, ...options } = Object.fromEntries(
    given.split(";").filter(Boolean).map(pair => {
      const [, key, value] = pair.match(/^([^=]*)=?(.*)$/s);
      return [key, parsed(value)];
    }),
  );
  return { name, options, ...(seconds ? { seconds } : {}) };
}

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** Write actions, counted from 0, as a move string, counted from 1: "4453", or "4,12". */
export function movesText(actions) {
  const numbers = actions.map(action => action + 1);
  if (numbers.every(number => number <= 9)) return numbers.join("");
  return numbers.length > 1 ? numbers.join(",") : `${numbers[0]},`;
}

/** The numbers of a move string, as strings. */
export function moveNumbers(moves) {
  return /[\s,]/.test(moves) ? moves.split(/[\s,]+/).filter(Boolean) : [...moves];
}

/**
 * Read an entry of "localStorage" or "sessionStorage"; null if there is none. A browser may refuse to store anything,
 * for example for a page in a frame of another site.
 */
export function kept(where, name) {
  try {
    return window[where].getItem(name);
  } catch {
    return null;
  }
}

/** Store a text in "localStorage" or "sessionStorage", if the browser allows it; null removes the entry. */
export function keep(where, name, text) {
  try {
    if (text === null) window[where].removeItem(name);
    else window[where].setItem(name, text);
  } catch {
    // Without storage, a setting holds until the page is left.
  }
}

/** Read a setting, or its default. */
export function remembered(name, otherwise) {
  return kept("localStorage", name) ?? otherwise;
}

/** @returns {Set<number>} the levels that were beaten in this browser */
export function beatenLevels() {
  return new Set(remembered("beaten", "").split(" ").filter(Boolean).map(Number));
}

/** Store a setting. */
export function remember(name, value) {
  keep("localStorage", name, value);
}

/** Bind the theme, the stored switches, and the buttons that open and close dialogs. */
export function bindSettings() {
  bindTheme();
  bindSwitch("keys-switch", "keys", "on");
  bindSwitch("sound-switch", "sound", "off");
  bindSwitch("tree-boards", "tree-boards", "off");
  byId("help-button").addEventListener("click", () => byId("help-dialog").showModal());
  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", event => event.target === dialog && dialog.close());
  }
}

function bindTheme() {
  const button = byId("theme-button");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const { dataset } = document.documentElement;
  const isDark = () => (dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const tell = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    dataset.theme = isDark() ? "light" : "dark";
    remember("theme", dataset.theme);
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}

function bindSwitch(id, name, otherwise) {
  const input = byId(id);
  input.checked = remembered(name, otherwise) === "on";
  input.addEventListener("change", () => remember(name, input.checked ? "on" : "off"));
}
