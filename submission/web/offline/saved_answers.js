/** What a saved page asks: its own games, which stand in it as JSON. It takes the place of `api.js`. */

/**
 * The games: `end` is a position, `opening` counts the first plies, which nobody chose. `plies` are judgements as
 * /api/review tells them, whose `columns` are pairs of an action and the number of its value in `values`; of a value,
 * `keys` are told.
 */
export const games = JSON.parse(document.getElementById("games").textContent);

/** Answer at once, with the judgements of the game. */
export function stream(path, { moves }, onSnapshot) {
  const { plies } = games.find(({ end }) => end.moves === moves);
  onSnapshot({ plies, done: true });
  return { close: () => {} };
}
