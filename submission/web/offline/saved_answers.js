/** Answers a saved page in place of `api.js`, from its games, which it contains as JSON. */

/**
 * The games: `end` is a position, `opening` counts the first plies, which no player chose. `plies` are judgements as
 * from /api/review, except that `columns` are pairs of an action and the index of its value in `values`; `keys` names
 * the fields of a value.
 */
export const games = JSON.parse(document.getElementById("games").textContent);

/** Answer at once with the judgements of the game. */
export function stream(path, { moves }, onSnapshot) {
  const { plies } = games.find(({ end }) => end.moves === moves);
  onSnapshot({ plies, done: true });
  return { close: () => {} };
}
