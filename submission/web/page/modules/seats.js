/** Who sits where: a card for each player, and the dialog that changes it, with an agent's options. */

import { PERSON } from "./address.js";
import { byId, h, MARKS, secondsText, signed, stone } from "./dom.js";

const FIRST_LEVEL = 3;

/**
 * Who sits where an address does not say it: a link to a position is there to be looked at, and
 * without moves a game begins.
 *
 * @param {string} moves
 * @param {object} setup
 * @returns {[import("./address.js").Seat, import("./address.js").Seat]}
 */
export function usualSeats(moves, { levels }) {
  if (moves) return [PERSON, PERSON];
  const agent = levels.length
    ? { name: "level", options: { n: FIRST_LEVEL } } : { name: "mcts", options: {} };
  return [PERSON, agent];
}

/**
 * The name of who sits somewhere.
 *
 * @param {import("./address.js").Seat} seat
 * @returns {string}
 */
export function seatName(seat) {
  if (seat.name === PERSON.name) return "Person";
  return seat.name === "level" ? `Level ${seat.options.n}` : seat.name;
}

function seatDetail(seat, setup) {
  if (seat.name === PERSON.name) return "plays here";
  if (seat.name === "level") {
    const level = setup.levels.find(({ n }) => n === seat.options.n);
    return level ? `Elo ${Math.round(level.elo)}` : "";
  }
  const options = Object.entries(seat.options).map(([name, value]) => `${name}=${value ?? "none"}`);
  return options.join(", ") || "with its defaults";
}

/**
 * A card of a seat that can be changed. What the agent's last move sets as a trap keeps its room
 * while the agent thinks, so that the board below does not jump.
 *
 * @param {1|2} player
 * @param {import("./address.js").Seat} seat
 * @param {{setup: object, toMove: boolean, thinking: boolean, last: object|null,
 *   onclick: () => void}} how
 * @returns {HTMLElement}
 */
export function seatCard(player, seat, { setup, toMove, thinking, last, onclick }) {
  const detail = thinking ? ["thinking…"] : last ? thought(last, seat, setup) : [seatDetail(seat, setup)];
  return h(
    "button",
    { type: "button", class: "seat", "data-to-move": toMove, "data-thinking": thinking, onclick },
    stone(player),
    h(
      "span",
      { class: "who" },
      h("b", {}, seatName(seat)),
      h("small", {}, ...detail),
      ...(last?.trap ? [h("small", { class: "trap" }, last.trap)] : []),
    ),
    h("span", { class: "hidden" }, `${toMove ? ", to move" : ""}. Change who plays ${MARKS[player]}`),
  );
}

/**
 * The value that an agent has found, and its time, which gives way where there is no room; and
 * whether a search that can be compiled was not.
 */
function thought({ value, elapsed, engine }, { name }, { agents }) {
  const compilable = agents.find(agent => agent.name === name)?.options.some(({ name }) => name === "engine");
  const how = compilable && engine === "reference" ? ", in plain Python" : "";
  const time = `${elapsed < 0.05 ? "at once" : `in ${secondsText(elapsed)}`}${how}`;
  if (value === null) return [time];
  return [`value ${signed(value)}`, h("span", { class: "more" }, `, ${time}`)];
}

/**
 * A card of a player of a replay.
 *
 * @param {1|2} player
 * @param {string} name
 * @param {string} detail
 * @returns {HTMLElement}
 */
export function playerCard(player, name, detail) {
  return h(
    "div",
    { class: "seat" },
    stone(player),
    h("span", { class: "who" }, h("b", {}, name), h("small", {}, detail)),
  );
}

/**
 * Ask who shall sit somewhere.
 *
 * @param {1|2} player
 * @param {import("./address.js").Seat} seat who sits there
 * @param {string} game its id
 * @param {object} setup
 * @param {(seat: import("./address.js").Seat) => void} onChoice
 */
export function askSeat(player, seat, game, setup, onChoice) {
  const dialog = byId("seat-dialog");
  const form = dialog.querySelector("form");
  const kinds = [personPart(), ...(setup.levels.length ? [levelPart(seat, setup)] : []), agentPart(seat, game, setup)];
  const chosen = kinds.find(({ is }) => is(seat)) ?? kinds.at(-1);
  const radios = kinds.map(kind => radio(kind, kind === chosen, () => show(kind)));
  const bodies = h("div", { class: "choice" });
  let current = chosen;
  const show = kind => {
    current = kind;
    bodies.replaceChildren(kind.body);
  };
  show(chosen);
  byId("seat-title").textContent = `Who plays ${MARKS[player]}?`;
  byId("seat-fields").replaceChildren(h("div", { class: "kinds" }, ...radios), bodies);
  form.onsubmit = event => {
    event.preventDefault();
    dialog.close();
    onChoice(current.read());
  };
  dialog.showModal();
}

function radio({ label }, checked, onchange) {
  const input = h("input", { type: "radio", name: "kind", checked, onchange });
  return h("label", {}, input, label);
}

function personPart() {
  return {
    label: "Person",
    is: seat => seat.name === PERSON.name,
    body: h("p", {}, "Plays in this browser, by mouse, touch or keyboard."),
    read: () => PERSON,
  };
}

function levelPart(seat, { levels }) {
  const n = seat.name === "level" ? seat.options.n : 3;
  const output = h("output", { class: "level" });
  const tell = () => {
    const { name, elo } = levels[slider.valueAsNumber - 1];
    output.textContent = `Level ${slider.value} · ${name} · Elo ${Math.round(elo)}`;
    slider.setAttribute("aria-valuetext", output.textContent);
  };
  const slider = h("input", {
    type: "range", min: 1, max: levels.length, value: n, oninput: tell, "aria-label": "Level",
  });
  tell();
  return {
    label: "Level",
    is: other => other.name === "level",
    body: h("div", {}, slider, output),
    read: () => ({ name: "level", options: { n: slider.valueAsNumber } }),
  };
}

function agentPart(seat, game, { agents, seconds }) {
  const offered = agents.filter(agent => agent.name !== "level" && (agent.game ?? game) === game);
  const known = offered.find(({ name }) => name === seat.name);
  const time = h("input", {
    id: "seat-seconds", type: "number", step: "any", required: true,
    min: seconds.least, max: seconds.most, value: (known && seat.seconds) ?? seconds.default,
  });
  const select = h("select", { id: "seat-agent" }, ...offered.map(({ name }) =>
    h("option", { value: name, selected: name === known?.name }, name)));
  const help = h("p", { class: "faint" });
  const place = h("div");
  let form;
  const showAgent = () => {
    const agent = offered.find(({ name }) => name === select.value);
    form = optionsForm(agent.options, agent === known ? seat.options : {});
    help.textContent = agent.help;
    place.replaceChildren(form.element);
  };
  select.addEventListener("change", showAgent);
  showAgent();
  return {
    label: "Agent",
    is: other => other.name !== PERSON.name && other.name !== "level",
    body: h(
      "div",
      {},
      h("div", { class: "row" },
        h("div", { class: "option" }, h("label", { htmlFor: "seat-agent" }, "agent"), select),
        h("div", { class: "option" }, h("label", { htmlFor: "seat-seconds" }, "seconds a move"), time)),
      help,
      place,
    ),
    read: () => ({ name: select.value, options: form.read(), seconds: time.valueAsNumber }),
  };
}

let fields = 0; // made so far: each has an id of its own

/**
 * Make the fields of an agent's options.
 *
 * @param {object[]} options as /api/setup tells them
 * @param {Object<string, unknown>} values those that are not at their defaults
 * @returns {{element: HTMLElement, read: () => Object<string, unknown>}} `read` gives what differs
 *   from the defaults
 */
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
