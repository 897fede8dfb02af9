/** The seats: a card for each player with the choice of who sits there, and the dialog of an agent's options. */

import { beatenLevels, PERSON } from "./address.js";
import { byId, h, MARKS, secondsText, signed, stone } from "./dom.js";

const FIRST_LEVEL = 3;
const NOW = "now"; // in the list of who may sit somewhere: the agent that sits there
const OTHER = "other";

/** The default seats: two persons for a position with moves, a person and a level for a new game. */
export function usualSeats(moves) {
  return [PERSON, moves ? PERSON : { name: "level", options: { n: FIRST_LEVEL } }];
}

/** The name of the player on a seat; if both `seats` are given, two persons have different names. */
export function seatName(seat, index = 0, seats = []) {
  if (seat.name === PERSON.name) {
    return seats.length && seats.every(({ name }) => name === PERSON.name) ? `Player ${MARKS[index + 1]}` : "You";
  }
  return seat.name === "level" ? `Level ${seat.options.n}` : seat.name;
}

/** Why the player that a link names cannot sit there; "" if it can. */
export function seatTrouble({ name, options }, { agents, levels }) {
  if (name === PERSON.name) return "";
  if (name === "level" && !levels.some(({ n }) => n === options.n)) {
    return `The link names no level from 1 to ${levels.length}: write it as in level:n=3.`;
  }
  return agents.some(agent => agent.name === name) ? "" : `The link names an agent that is not known here: ${name.slice(0, 60)}.`;
}

function seatDetail(seat, setup) {
  if (seat.name === PERSON.name) return [];
  if (seat.name === "level") return shortened(levelWords(setup.levels.find(({ n }) => n === seat.options.n)), " · ");
  const options = Object.entries(seat.options).map(([name, value]) => `${name}=${value ?? "none"}`);
  return [options.join(", ") || "with its defaults"];
}

function levelWords({ n, name, elo }) {
  return [name, elo !== null && `Elo ${Math.round(elo)}`, beatenLevels().has(n) && "beaten ✓"].filter(Boolean);
}

/** Words of which all but the first are hidden if there is no room. */
function shortened([first, ...others], between) {
  return first ? [first, h("span", { class: "more" }, ...others.map(other => between + other))] : [];
}

/**
 * The card of a seat, all of which opens the list of who may sit there. Its elements stay when their
 * text changes, so that neither the open list nor the focus is lost.
 */
export class SeatCard {
  #player;
  #setup;
  #name = h("b", { class: "choice" });
  #details = h("small");
  #trap = h("small", { class: "trap" });
  #select;

  /** `onSeat` takes a chosen seat; `onAgent` is called when an agent with options is wanted. */
  constructor(player, setup, onSeat, onAgent) {
    this.#player = player;
    this.#setup = setup;
    this.#select = h(
      "select",
      { "aria-label": `Who plays ${MARKS[player]}`, onkeydown: openList },
      h("option", { value: NOW, hidden: true }),
      h("option", { value: PERSON.name }, "A person"),
      ...setup.levels.map(({ n }) => h("option", { value: n })),
      h("option", { value: OTHER }, "An agent with options…"),
    );
    this.#select.addEventListener("change", () => {
      const { value } = this.#select;
      if (value === OTHER) onAgent();
      else onSeat(value === PERSON.name ? PERSON : { name: "level", options: { n: Number(value) } });
    });
    const who = h("span", { class: "who" }, this.#name, this.#details, this.#trap);
    this.element = h("div", { class: "seat" }, stone(player), who, this.#select);
  }

  /** Show who sits there, and an agent's last answer; a trap stays while the agent thinks, so that nothing jumps. */
  show(seat, { name, toMove, thinking, last }) {
    const setup = this.#setup;
    const detail = thinking ? ["thinking…"] : last ? thought(last, seat, this.#player, setup) : [];
    Object.assign(this.element.dataset, { toMove, thinking });
    this.#name.textContent = name;
    this.#details.replaceChildren(...(detail.length ? detail : seatDetail(seat, setup)));
    this.#trap.textContent = last?.trap ?? "";
    const [now, , ...levels] = this.#select.options;
    levels.pop();
    write(now, name);
    setup.levels.forEach((level, index) => write(levels[index], `Level ${level.n} · ${levelWords(level).join(" · ")}`));
    this.#select.value = { [PERSON.name]: PERSON.name, level: seat.options.n }[seat.name] ?? NOW;
  }
}

/** Write an option only if its text has changed, because the list may be open. */
function write(option, text) {
  if (option.textContent !== text) option.textContent = text;
}

/** Open the list by an arrow key, which would otherwise seat each agent that it passes. */
function openList(event) {
  if (!/^Arrow(Up|Down)$/.test(event.key) || !event.target.showPicker) return;
  event.preventDefault();
  event.target.showPicker();
}

/** An agent's value from its own view, its time if noticeable, and whether its search was not compiled. */
function thought({ value, elapsed, engine }, { name }, player, { agents }) {
  const compilable = agents.find(agent => agent.name === name)?.options.some(({ name }) => name === "engine");
  return shortened([
    value !== null && `value ${signed(player === 1 ? value : -value)}`,
    elapsed >= 0.05 && `in ${secondsText(elapsed)}`,
    compilable && engine === "reference" && "in plain Python",
  ].filter(Boolean), ", ");
}

/** The card of a player of a replay. */
export function playerCard(player, name, detail) {
  return h(
    "div",
    { class: "seat" },
    stone(player),
    h("span", { class: "who" }, h("b", {}, name), h("small", {}, detail)),
  );
}

/** Ask which agent of a game is to take a player's seat, and with which options. */
export function askAgent(player, seat, game, { agents, seconds }, onChoice) {
  const dialog = byId("seat-dialog");
  const offered = agents.filter(agent => agent.name !== "level" && (agent.game ?? game) === game);
  const known = offered.find(({ name }) => name === seat.name);
  const time = h("input", {
    id: "seat-seconds", type: "number", step: "any", required: true,
    min: seconds.least, max: seconds.most, value: (known && (seat.seconds ?? seat.options.time_limit)) ?? seconds.default,
  });
  const select = h("select", { id: "seat-agent" }, ...offered.map(({ name }) =>
    h("option", { value: name, selected: name === (known?.name ?? "alphabeta") }, name)));
  const help = h("p", { class: "faint" });
  const place = h("div");
  let form;
  const showAgent = () => {
    const agent = offered.find(({ name }) => name === select.value);
    const options = agent.options.filter(({ name }) => name !== "time_limit"); // the field for seconds replaces it
    form = optionsForm(options, agent === known ? seat.options : {});
    help.textContent = agent.help;
    place.replaceChildren(form.element);
  };
  select.addEventListener("change", showAgent);
  showAgent();
  byId("seat-title").textContent = `Which agent plays ${MARKS[player]}?`;
  byId("seat-fields").replaceChildren(
    h("div", { class: "row" },
      h("div", { class: "option" }, h("label", { htmlFor: "seat-agent" }, "agent"), select),
      h("div", { class: "option" }, h("label", { htmlFor: "seat-seconds" }, "seconds a move"), time)),
    help,
    place,
  );
  dialog.querySelector("form").onsubmit = event => {
    event.preventDefault();
    dialog.close();
    onChoice({ name: select.value, options: form.read(), seconds: time.valueAsNumber });
  };
  dialog.showModal();
}

let fields = 0; // made so far, for their ids

/** Make the fields of an agent's options; `read` gives the values that differ from the defaults. */
export function optionsForm(options, values = {}) {
  const made = options.map(option => {
    const value = option.name in values ? values[option.name] : option.default;
    return { option, ...field(option, value ?? null) };
  });
  const read = () => Object.fromEntries(
    made
      .map(({ option, read: value }) => [option, value()])
      .filter(([option, value]) => value !== (option.default ?? null))
      .map(([option, value]) => [option.name, value]),
  );
  return { element: h("div", { class: "options" }, ...made.map(({ element }) => element)), read };
}

function field(option, value) {
  const id = `option-${++fields}`;
  const { control, read } = CONTROLS[option.type](option, value);
  control.id = id;
  control.setAttribute("aria-describedby", `${id}-help`);
  const name = option.name.replaceAll("_", " ");
  const element = h(
    "div",
    { class: option.type === "boolean" ? "option check" : "option" },
    h("label", { htmlFor: id }, name),
    control,
    h("small", { id: `${id}-help` }, option.help),
  );
  return { element, read };
}

const CONTROLS = {
  boolean: (option, value) => {
    const control = h("input", { type: "checkbox", checked: Boolean(value) });
    return { control, read: () => control.checked };
  },
  choice: (option, value) => {
    const choices = option.nullable ? ["", ...option.choices] : option.choices;
    const control = h("select", {}, ...choices.map(choice =>
      h("option", { value: choice, selected: choice === (value ?? "") }, choice || "none")));
    return { control, read: () => control.value || null };
  },
  text: (option, value) => {
    const control = h("input", { type: "text", value: value ?? "", maxLength: 100 });
    return { control, read: () => control.value || (option.nullable ? null : "") };
  },
  integer: (option, value) => number(option, value, "1"),
  number: (option, value) => number(option, value, "any"),
};

function number(option, value, step) {
  const control = h("input", {
    type: "number",
    step,
    min: option.least ?? null,
    max: option.most ?? null,
    required: !option.nullable,
    placeholder: option.nullable ? "none" : "",
    value: value ?? "",
    inputMode: step === "1" ? "numeric" : "decimal",
  });
  return { control, read: () => (control.value === "" ? null : control.valueAsNumber) };
}
