/** The panel of a tree's node: its position on a board, the line that leads to it, and its value. */

import { movesText } from "./address.js";
import { post } from "./api.js";
import { createBoard } from "./board.js";
import { turnText } from "./board_words.js";
import { byId, h, isAbort, MARKS, stone } from "./dom.js";

const BOUNDS = { "=": "", "≥": "at least ", "≤": "at most " };

/** The panel of a node. */
export class NodePanel {
  #board = createBoard(byId("tree-board"), { onMove: () => {}, label: "Board at the node" });
  #asked = new AbortController();
  #shown = "";

  /**
   * Show a node; `position` is that of the root, and `onTop` shows the tree from this node, null if it starts here.
   */
  show(node, position, onTop) {
    byId("tree-line").replaceChildren(...lineOf(node, position));
    byId("tree-facts").replaceChildren(...factsOf(node, position.place).map(fact => h("p", {}, fact)));
    const button = byId("tree-from-here");
    button.hidden = !onTop || !node.below;
    button.onclick = onTop;
    this.#showBoard(position, node.path);
  }

  /** Ask the server for the position of a path, because its winning line needs the rules. */
  async #showBoard({ game, actions }, path) {
    const moves = movesText([...actions, ...path]);
    if (this.#shown === `${game} ${moves}`) return;
    this.#shown = `${game} ${moves}`;
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    try {
      const position = await post("position", { game, moves }, signal);
      if (signal.aborted) return;
      this.#board.update({ ...position, interactive: false, values: null, message: turnText(position) });
    } catch (error) {
      if (isAbort(error)) return;
      this.#shown = "";
      byId("tree-facts").replaceChildren(h("p", { class: "error" }, error.message));
    }
  }
}

/** The moves from the root to a node, each with the stone of its player. */
function lineOf({ path }, { player, place }) {
  if (!path.length) return [h("li", {}, "The position on the board")];
  return path.map((action, index) => {
    const mover = index % 2 ? 3 - player : player;
    return h("li", { "aria-label": `${MARKS[mover]} ${place} ${action + 1}` }, stone(mover), String(action + 1));
  });
}

function factsOf(node, place) {
  const { shape, mark, alpha, beta, cutoff, unvisited } = node;
  const state = { max: "X to move, who maximises.", min: "O to move, who minimises.", terminal: "The game is over." };
  return [
    state[shape] ?? (shape === "depth" ? "The search looks no deeper." : "Chance decides."),
    worthOf(node),
    node.value && mark && `${capital(mark)}.`,
    alpha && `α ${alpha}, β ${beta}.`,
    cutoff && !isProof(cutoff) && `${namesOf(unvisited, place)}: ${cutoff}.`,
    cutoff && isProof(cutoff) && whyCut(node, place),
  ].filter(Boolean);
}

function worthOf({ shape, value, visits, share, mark }) {
  if (visits !== undefined) {
    const part = share ? `, ${Math.round(share * 100)} % of those above` : "";
    return `${visits} ${visits === 1 ? "simulation" : "simulations"}${part}, worth ${value} to X on average.`;
  }
  if (!value) return mark ? `${capital(mark)}.` : "Its worth is not known.";
  if (shape === "depth") return `The heuristic guesses ${value} to X.`;
  const bound = BOUNDS[value[0]];
  return bound === undefined ? `Worth ${value} to X.` : `Worth ${bound}${value.slice(2)} to X.`;
}

/** Whether alpha and beta are the reason that children were not visited. */
function isProof(cutoff) {
  return cutoff.includes("≥");
}

/** Why a cutoff is right, from the view of the player who will avoid this node. */
function whyCut({ shape, alpha, beta, unvisited }, place) {
  const [least, most] = [alpha, beta].map(range => range.split(" → ").at(-1));
  const [winner, why] = shape === "max"
    ? [least === "1" && "X", `X gets at least ${least} here, and O has ${most} elsewhere: O will not come here.`]
    : [most === "−1" && "O", `O holds X to ${most} here, and X has ${least} elsewhere: X will not come here.`];
  return `Cut off. ${winner ? `${winner} wins here, and nothing is better.` : why} ${namesOf(unvisited, place)} cannot change that.`;
}

function namesOf(labels, place) {
  const words = labels.length === 1 ? place : `${place}s`;
  return `${capital(words)} ${labels.join(", ")}`;
}

function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}
