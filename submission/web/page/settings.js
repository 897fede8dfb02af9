/** What the browser remembers of a reader's wishes, and the dialogs' buttons. */

import { byId } from "./dom.js";

/**
 * Read a wish.
 *
 * @param {string} name
 * @param {string} otherwise what holds where nothing is remembered
 * @returns {string}
 */
export function remembered(name, otherwise) {
  return localStorage.getItem(name) ?? otherwise;
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  localStorage.setItem(name, value);
}

/** Bind the theme, the switches that are remembered, and what opens and closes dialogs. */
export function bindSettings() {
  bindTheme();
  bindSwitch("keys-switch", "keys", "on", () => {});
  bindSwitch("tree-fit", "tree-fit", "off", fits => byId("tree").classList.toggle("fit", fits));
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
  const isDark = () => remembered("theme", system.matches ? "dark" : "light") === "dark";
  const tell = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    remember("theme", isDark() ? "light" : "dark");
    document.documentElement.dataset.theme = remembered("theme", "");
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}

function bindSwitch(id, name, otherwise, onChange) {
  const input = byId(id);
  input.checked = remembered(name, otherwise) === "on";
  onChange(input.checked);
  input.addEventListener("change", () => {
    remember(name, input.checked ? "on" : "off");
    onChange(input.checked);
  });
}
