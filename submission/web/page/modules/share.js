/** Input and output of the page: dropped files, links, saved games. */

import { getSavedFrame, stream } from "./api.js";
import { byId, h, TYPED } from "./dom.js";

const LARGEST = 7_000_000; // bytes of a file that the server accepts
const LONGEST_MOVES = 1600;
const KEPT_TIME = 60_000; // milliseconds for which a saved page is kept: Safari reads it late
const FRAME_GAMES = '"GAMES"'; // marks the place of the games in the frame of a saved page

/** Accept a move string or a file of games that is dropped on the page, pasted, or chosen by a button. */
export function bindArrivals(chooser, { onMoves, onFile, onTrouble }) {
  const take = async work => {
    onTrouble("");
    try {
      await work();
    } catch (error) {
      onTrouble(error.message);
    }
  };
  const takeFile = file => take(async () => {
    if (file.size > LARGEST) throw new Error(`${file.name} is too large: at most 7 MB are taken here. Name it when you start connectx web.`);
    await onFile(file.name, await file.text());
  });
  const takeText = text => take(async () => {
    const moves = text.trim();
    if (/^\s*\{/.test(text) && text.length <= LARGEST) await onFile("pasted", text);
    else if (/^\d[\d\s,]*$/.test(moves) && moves.length <= LONGEST_MOVES) await onMoves(moves);
    else throw new Error("That is neither a file of games nor a move string such as 4453.");
  });
  const takeAll = data => (data.files.length ? takeFile(data.files[0]) : takeText(data.getData("text/plain")));
  const isTyped = (target, data) => !data.files.length && target.closest(`${TYPED}, dialog`);

  document.addEventListener("dragover", event => event.preventDefault());
  document.addEventListener("drop", event => {
    if (isTyped(event.target, event.dataTransfer)) return;
    event.preventDefault();
    takeAll(event.dataTransfer);
  });
  document.addEventListener("paste", event => {
    if (isTyped(event.target, event.clipboardData)) return;
    event.preventDefault();
    takeAll(event.clipboardData);
  });
  chooser.addEventListener("change", () => {
    if (chooser.files.length) takeFile(chooser.files[0]);
    chooser.value = "";
  });
}

/** Copy the address of the position on the board. */
export async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The link to this position has been copied.");
  } catch {
    tell("This browser does not allow copying here: take the link from the address bar.");
  }
}

/** Save a game as a page with the value of each move, the players, how it ended, and the plies of the opening. */
export async function saveAsPage(end, about) {
  const button = byId("save-page");
  button.disabled = true;
  try {
    const [frame, judged] = await Promise.all([getSavedFrame(), judgedPlies(end)]);
    // Only this character could end the script that holds the games.
    const games = JSON.stringify([{ end, ...about, ...packed(judged) }]).replaceAll("<", "\\u003c");
    const page = new Blob([frame.replace(FRAME_GAMES, () => games)], { type: "text/html" });
    const link = h("a", { href: URL.createObjectURL(page), download: `connectx-${end.moves.slice(0, 42) || "start"}.html` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_TIME);
  } catch (error) {
    tell(error.message);
  }
  button.disabled = false;
}

/** Write a sentence below the board. */
function tell(sentence) {
  byId("copied").textContent = sentence;
}

/** The plies with each value stored once and given by its index, because many moves share one. */
function packed(judged) {
  const keys = Object.keys(judged[0]?.columns[0] ?? {}).filter(key => key !== "action");
  const numbers = new Map();
  const numbered = column => {
    const value = JSON.stringify(keys.map(key => column[key]));
    if (!numbers.has(value)) numbers.set(value, numbers.size);
    return [column.action, numbers.get(value)];
  };
  const plies = judged.map(ply => ({ ...ply, columns: ply.columns.map(numbered) }));
  return { keys, values: [...numbers.keys()].map(value => JSON.parse(value)), plies };
}

function judgedPlies(end) {
  return new Promise((resolve, reject) => {
    stream("review", { game: end.game, moves: end.moves }, ({ plies, done }) => {
      tell(done ? "" : `Judging the moves: ${plies.length} of ${end.actions.length}…`);
      if (done) resolve(plies);
    }, sentence => reject(new Error(sentence)), "saving");
  });
}
