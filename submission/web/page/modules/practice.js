/** The mistakes of many games, found game by game while the first are already being retried. */

import { stream } from "./api.js";
import { isGrave } from "./record.js";

export const MOST_GAMES = 200;
const MOST_MISTAKES = 100;

/**
 * Have the games of a file judged, and report the mistakes that have changed a result, each once even if
 * it was made in several games.
 *
 * @param {object[]} replays as /api/replays tells them
 * @param {boolean} ofPlayer whether only the mistakes of their `player` are wanted
 * @param {(mistakes: object[], told: string, done: boolean) => void} onGame called after each game
 *   with its mistakes, each a judgement as /api/review gives it, with its `replay`; and with words
 *   about the progress
 * @returns {{close: () => void}}
 */
export function findMistakes(replays, ofPlayer, onGame) {
  const met = new Set();
  let source = { close() {} }, at = 0;

  const isNew = ({ ply, replay: { moves } }) => {
    const line = moves.split(moves.includes(",") ? "," : "").slice(0, ply + 1).join();
    return !met.has(line) && met.add(line);
  };
  const take = (replay, plies) => {
    const found = plies.filter(({ mistake, player, ply }) => isGrave(mistake)
      && ply >= replay.opening_plies && (!ofPlayer || player === replay.seat));
    const fresh = found.map(judgement => ({ ...judgement, replay })).filter(isNew);
    at++;
    const done = at === replays.length || met.size >= MOST_MISTAKES;
    const games = `${at} of ${replays.length} ${replays.length === 1 ? "game" : "games"}`;
    onGame(fresh, done ? `${games} judged.` : `${games} judged, the next is on its way…`, done);
    if (!done) judge();
  };
  const judge = () => {
    const replay = replays[at], { game, moves } = replay;
    source = stream("review", { game, moves },
      ({ plies, done }) => done && take(replay, plies), () => take(replay, []), "practice");
  };
  judge();
  return { close: () => source.close() };
}
