/** What a saved page asks: its own games, which stand in it as JSON. It takes the place of `api.js`. */

/**
 * @typedef {object} SavedGame
 * @property {import("../page/modules/game.js").Position} end
 * @property {[string, string]} players
 * @property {string} course how it has ended
 * @property {number} opening the first plies, which nobody chose
 * @property {string[]} keys of what is told of a value
 * @property {unknown[][]} values of moves, each by `keys`
 * @property {object[]} plies judgements as /api/review tells them; `columns` are the moves before each,
 *   as pairs of an action and the number of its value
 */

/** @type {SavedGame[]} */
export const games = JSON.parse(document.getElementById("games").textContent);

/** Answer at once, with the judgements of the game. */
export function stream(path, { moves }, onSnapshot) {
  const { plies } = games.find(({ end }) => end.moves === moves);
  onSnapshot({ plies, done: true });
  return { close: () => {} };
}
