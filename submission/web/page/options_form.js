/** The options of an agent as fields of a form. */

import { h } from "./dom.js";

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
