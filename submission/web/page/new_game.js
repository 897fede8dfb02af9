/** The dialog of a new game: which, how large, and from which moves. */

import { byId, h, showError } from "./dom.js";

const SIZES = { rows: "rows", columns: "columns", inarow: "in a row" };

/**
 * Ask for a game.
 *
 * @param {object[]} games as /api/setup tells them
 * @param {import("./game.js").Position} now the game that is on the board
 * @param {(game: string, moves: string) => Promise<void>} onChoice rejected where it is none
 */
export function askGame(games, now, onChoice) {
  const dialog = byId("game-dialog");
  const select = byId("game-name");
  select.replaceChildren(...games.map(game =>
    h("option", { value: game.name, selected: now.game.startsWith(game.name) }, game.title)));
  select.onchange = () => showSizes(games, select.value, []);
  showSizes(games, select.value, now.game.startsWith(select.value) ? now.game.match(/\d+/g) ?? [] : []);
  byId("game-moves").value = "";
  showError(byId("game-error"), "");
  dialog.querySelector("form").onsubmit = async event => {
    event.preventDefault();
    try {
      await onChoice(chosenGame(select.value), byId("game-moves").value.trim());
      dialog.close();
    } catch (error) {
      showError(byId("game-error"), error.message);
    }
  };
  dialog.showModal();
}

function showSizes(games, name, values) {
  const { sizes } = games.find(game => game.name === name);
  byId("game-sizes").replaceChildren(...Object.entries(sizes).map(([size, limits], index) => {
    const id = `game-${size}`;
    const input = h("input", {
      id, type: "number", required: true, step: 1, min: limits.least, max: limits.most,
      value: values[index] ?? limits.default, inputMode: "numeric",
    });
    return h("div", { class: "option" }, h("label", { htmlFor: id }, SIZES[size]), input);
  }));
}

function chosenGame(name) {
  const sizes = [...byId("game-sizes").querySelectorAll("input")].map(({ value }) => value);
  return [name, sizes.join("x")].filter(Boolean).join("-");
}
