/** The games of the files that are open on the server, to filter and choose from. */

import { post } from "./api.js";
import { byId, h, isAbort, MARKS, showError } from "./dom.js";
import { MOST_GAMES } from "./retry.js";

const COUNT = 50;

/** The panel of the games. */
export class Replays {
  #files;
  #file = null;
  #offset = 0;
  #total = 0;
  #shown = []; // the games in the list, from the offset on
  #open = null;
  #onOpen;
  #onPractise;
  #asked = new AbortController();

  /** `onOpen` takes a file and a game of it, `onPractise` games, and whether only their `player` practises. */
  constructor(files, onOpen, onPractise) {
    this.#files = files;
    this.#onOpen = onOpen;
    this.#onPractise = onPractise;
    this.#offerFiles();
    byId("replays-file").addEventListener("change", () => this.#choose(Number(byId("replays-file").value)));
    byId("replays-form").addEventListener("submit", event => event.preventDefault());
    for (const id of ["player", "opponent", "result", "failed"]) {
      byId(`replays-${id}`).addEventListener("change", () => this.#list(0));
    }
    byId("replays-practise").addEventListener("click", () => this.#practise());
    byId("next-replay").addEventListener("click", () => this.#openNext());
    byId("replays-before").addEventListener("click", () => this.#list(this.#offset - COUNT));
    byId("replays-after").addEventListener("click", () => this.#list(this.#offset + COUNT));
  }

  #offerFiles() {
    byId("replays-none").hidden = this.#files.length > 0;
    byId("replays-form").hidden = this.#files.length === 0;
    byId("replays-file").replaceChildren(...this.#files.map(({ number, name, games }) =>
      h("option", { value: number }, `${name} (${games} ${games === 1 ? "game" : "games"})`)));
  }

  /**
   * Have the server open a text as a file of games, and choose it; a single game goes to the board. Rejected with a
   * sentence if it is not a file of games.
   */
  async add(name, text) {
    const file = await post("files", { name, text });
    this.#files.push(file);
    this.#offerFiles();
    const replays = await this.#choose(file.number);
    if (file.games === 1) this.#onOpen(file.number, replays[0]);
  }

  /** Show the panel, and mark the game that is on the board. @param {{file: number, number: number}|null} open */
  show(open) {
    this.#open = open;
    if (!this.#files.length) return;
    if (this.#file === null) this.#choose(open?.file ?? this.#files[0].number, open?.number);
    this.#mark();
  }

  /** Find a game by its file and number; rejected with a sentence if there is none with these moves. */
  async find({ file, number }, { game, moves }) {
    const known = this.#files.find(other => other.number === file);
    if (!known) throw new Error("The file of this link is not open: drop it on the page.");
    const { replays } = await post("replays", { file, offset: number, count: 1 });
    const found = replays.find(replay => replay.number === number);
    if (!found) throw new Error(`${known.name} has no game ${number + 1}: its last is ${known.games}.`);
    if (found.game !== game || found.moves !== moves) {
      throw new Error(`Game ${number + 1} of ${known.name} is not the game of this link: drop its file on the page.`);
    }
    return found;
  }

  /** Choose a file, and show the page of its list that has this game. */
  #choose(number, game = 0) {
    this.#file = this.#files.find(file => file.number === number) ?? this.#files[0];
    byId("replays-file").value = this.#file.number;
    for (const id of ["player", "opponent"]) {
      byId(`replays-${id}`).replaceChildren(
        h("option", { value: "" }, "any"),
        ...this.#file.players.map(name => h("option", { value: name }, name)));
    }
    byId("replays-result").value = "";
    byId("replays-failed").checked = false;
    this.#showStandings();
    return this.#list(game - game % COUNT);
  }

  /** The place in the list of the game on the board, counted from 0; if that is not shown, one above the shown ones. */
  get #place() {
    const at = this.#shown.findIndex(({ number }) => number === this.#open?.number);
    return this.#offset + (this.#open?.file === this.#file.number ? at : -1);
  }

  /** Open the game below the one on the board or, if that is not shown, the first shown one. */
  async #openNext() {
    const next = this.#place + 1;
    const within = () => this.#shown[next - this.#offset];
    if (!within()) await this.#list(next - next % COUNT);
    if (within()) this.#onOpen(this.#file.number, within());
  }

  /** The question for games that pass the filters. */
  #question(offset, count) {
    const chosen = Object.fromEntries(["player", "opponent", "result"]
      .map(name => [name, byId(`replays-${name}`).value]).filter(([, value]) => value));
    if (byId("replays-failed").checked) chosen.failed = true;
    return { file: this.#file.number, ...chosen, offset: Math.max(0, offset), count };
  }

  async #practise() {
    const question = this.#question(0, MOST_GAMES);
    const { replays } = await post("replays", question);
    const { file } = question;
    if (replays.length) this.#onPractise(replays.map(replay => ({ ...replay, file })), Boolean(question.player));
  }

  async #list(offset) {
    this.#asked.abort();
    this.#asked = new AbortController();
    const question = this.#question(offset, COUNT);
    try {
      const { total, replays } = await post("replays", question, this.#asked.signal);
      showError(byId("replays-error"), "");
      this.#offset = question.offset;
      this.#draw(total, replays);
      return replays;
    } catch (error) {
      if (!isAbort(error)) showError(byId("replays-error"), error.message);
    }
    return [];
  }

  #draw(total, replays) {
    this.#total = total;
    this.#shown = replays;
    const last = this.#offset + replays.length;
    byId("replays-state").textContent = total
      ? `Games ${this.#offset + 1} to ${last} of ${total}` : "No game matches.";
    byId("replays-practise").disabled = !total;
    for (const id of ["replays-before", "replays-after"]) byId(id).hidden = total <= COUNT;
    byId("replays-before").disabled = this.#offset === 0;
    byId("replays-after").disabled = last >= total;
    byId("replays-list").replaceChildren(...replays.map(replay => this.#item(replay)));
    this.#mark();
  }

  #item(replay) {
    const [first, second] = replay.players;
    const { number } = this.#file;
    const open = () => this.#onOpen(number, replay);
    return h("li", {}, h(
      "button",
      { type: "button", class: "replay", "data-number": replay.number, onclick: open },
      h("span", { class: "number" }, String(replay.number + 1)),
      h("span", { class: "names" }, h("span", {}, `${MARKS[1]}\u00a0${first}`), h("span", {}, `${MARKS[2]}\u00a0${second}`)),
      h("span", { class: "outcome" }, h("b", {}, replay.outcome), h("small", {}, replay.plies === 1 ? "1 ply" : `${replay.plies} plies`)),
      replay.cause ? h("small", { class: "cause" }, replay.cause) : null,
    ));
  }

  #mark() {
    const place = this.#place, list = byId("replays-list");
    [...list.querySelectorAll("button")].forEach((button, at) => {
      const here = this.#offset + at === place;
      const isNew = here && button.getAttribute("aria-current") !== "true";
      button.setAttribute("aria-current", String(here));
      if (isNew) list.scrollTop = button.offsetTop - (list.clientHeight - button.offsetHeight) / 2;
    });
    byId("next-replay").hidden = !this.#open || this.#file.games === 1;
    byId("next-replay").disabled = place + 1 >= this.#total;
  }

  async #showStandings() {
    const { number } = this.#file;
    const section = byId("standings");
    section.hidden = true;
    try {
      const standings = await post("standings", { file: number });
      if (this.#file.number !== number) return;
      drawStandings(standings);
      section.hidden = !(standings.rows.length || standings.notes.length || standings.cross);
    } catch (error) {
      if (this.#file.number === number) showError(byId("replays-error"), error.message);
    }
  }
}

function drawStandings({ title, columns, rows, notes, cross }) {
  byId("standings-title").textContent = title;
  byId("standings-table").replaceChildren(table(title, columns, rows, cell => cell));
  byId("standings-table").hidden = !rows.length;
  byId("standings-notes").replaceChildren(...notes.map(note => h("p", { class: "faint" }, note)));
  byId("cross").hidden = !cross;
  if (!cross) return;
  const named = cross.rows.map((row, index) => [cross.players[index], ...row]);
  const percent = cell => (typeof cell === "number" ? `${Math.round(cell)} %` : cell ?? "");
  byId("cross-table").replaceChildren(
    table("Points of each player against each other", ["player", ...cross.players], named, percent));
}

function table(name, columns, rows, text) {
  const head = h("tr", {}, ...columns.map(column => h("th", { scope: "col" }, column)));
  const body = rows.map(row => h("tr", {}, ...row.map((cell, index) =>
    (index ? h("td", {}, text(cell)) : h("th", { scope: "row" }, text(cell))))));
  return h("table", {}, h("caption", { class: "hidden" }, name), h("thead", {}, head), h("tbody", {}, ...body));
}
