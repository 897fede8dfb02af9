/** The search, thinking: its tree as it grows, and then step by step. */

import { isAbort, postAsPage, stream } from "./api.js";
import { byId, h, showError } from "./dom.js";
import { optionsForm } from "./seats.js";

const HIDDEN = ["engine", "keep_tree", "weights"]; // what is recorded is plain Python, without a network
const FIRST = "alphabeta";
const MAIN = ["depth", "simulations"];
const MARGIN = 8; // pixels above a tree

/** The panel of a search and its tree. */
export class Search {
  #setup;
  #form;
  #position = null;
  #key = "";
  #source = null;
  #thinking = false;
  #paused = false; // the search goes on, and its pictures are not shown
  #latest = null; // the picture that has come last from a search
  #picture = null; // the one that is shown
  #drawn = ""; // how many nodes a search shows while it goes on
  #top = [];
  #asked = new AbortController();

  /** @param {object} setup */
  constructor(setup) {
    this.#setup = setup;
    const select = byId("search-agent");
    for (const { name, search } of setup.agents) {
      if (search) select.append(h("option", { value: name, selected: name === FIRST }, name));
    }
    select.addEventListener("change", () => this.#showOptions());
    this.#showOptions();
    byId("search-form").addEventListener("submit", event => {
      event.preventDefault();
      this.#start();
    });
    byId("search-stop").addEventListener("click", () => this.#stop());
    byId("search-follow").addEventListener("click", () => this.togglePause());
    byId("search-nodes").addEventListener("change", () => this.#picture && this.#ask(this.#step));
    byId("search-step").addEventListener("input", () => this.#ask(byId("search-step").valueAsNumber));
    const steps = { first: () => 1, back: () => this.#step - 1, on: () => this.#step + 1, last: () => Infinity };
    for (const [name, step] of Object.entries(steps)) {
      byId(`search-${name}`).addEventListener("click", () => this.#ask(step()));
    }
  }

  /**
   * Show the position that a search would begin from; the tree of another is put away.
   *
   * @param {import("./game.js").Position|null} position null: the view is left, the search ends
   */
  show(position) {
    const key = position ? `${position.game} ${position.moves}` : "";
    this.#position = position;
    if (key === this.#key) return;
    this.#key = key;
    this.#stop();
    this.#clear();
  }

  /** Go some steps on or back, where there is a tree. @param {number} by */
  move(by) {
    if (this.#picture) this.#ask(this.#step + by);
  }

  /** Hold the picture of a search that goes on, or follow it again. */
  togglePause() {
    if (!this.#picture || !this.#thinking) return;
    if (this.#paused) this.#follow();
    else this.#setPaused(true);
  }

  /** Show the search as it goes on: its whole tree, with as many nodes as at its start. */
  #follow() {
    this.#asked.abort();
    this.#top = [];
    byId("search-nodes").value = this.#drawn;
    showError(byId("search-error"), "");
    this.#setPaused(false);
    this.#draw(this.#latest);
  }

  #setPaused(paused) {
    this.#paused = paused;
    byId("search-follow").textContent = paused ? "Follow" : "Pause";
    if (this.#picture) this.#tell();
  }

  get #step() {
    return this.#picture.step;
  }

  #showOptions() {
    const name = byId("search-agent").value;
    const agent = this.#setup.agents.find(({ name: known }) => known === name);
    const options = agent.options.filter(option => !HIDDEN.includes(option.name));
    const main = optionsForm(options.filter(({ name: option }) => MAIN.includes(option)), agent.search);
    const others = optionsForm(options.filter(({ name: option }) => !MAIN.includes(option)), agent.search);
    this.#form = { read: () => ({ ...main.read(), ...others.read() }) };
    byId("search-options").replaceChildren(
      main.element, h("details", {}, h("summary", {}, "More options"), others.element));
  }

  #start() {
    this.#stop();
    this.#clear();
    if (this.#position.over) {
      showError(byId("search-error"), "The game is over: go back to a position with moves to search.");
      return;
    }
    const { game, moves } = this.#position;
    this.#drawn = byId("search-nodes").value;
    const question = {
      game, moves,
      agent: byId("search-agent").value,
      options: JSON.stringify(this.#form.read()),
      nodes: this.#drawn,
    };
    this.#setThinking(true);
    this.#source = stream("search", question, picture => this.#take(picture), sentence => {
      this.#setThinking(false);
      showError(byId("search-error"), sentence);
    });
  }

  /** Take a picture of the search as it goes on; the one that a pause holds stays. */
  #take(picture) {
    const held = this.#paused;
    this.#latest = picture;
    if (picture.done) this.#setThinking(false);
    if (held) {
      this.#picture.steps = picture.steps;
      this.#tell();
    } else {
      this.#draw(picture);
    }
  }

  #stop() {
    this.#source?.close();
    this.#source = null;
    this.#asked.abort();
    this.#setThinking(false);
  }

  #setThinking(thinking) {
    this.#thinking = thinking;
    byId("search-stop").disabled = !thinking;
    byId("search-follow").disabled = !thinking;
    this.#setPaused(false);
  }

  #clear() {
    this.#latest = null;
    this.#picture = null;
    this.#top = [];
    showError(byId("search-error"), "");
    byId("search-walk").hidden = true;
    byId("tree-section").hidden = true;
    byId("search-state").textContent = "";
  }

  /** Ask for the picture after a step; a search that goes on is no longer followed meanwhile. */
  async #ask(step, top = this.#top) {
    if (this.#thinking) this.#setPaused(true);
    this.#asked.abort();
    this.#asked = new AbortController();
    const wanted = Math.max(1, Math.min(step, this.#picture.steps));
    const question = { step: wanted, root: top, nodes: Number(byId("search-nodes").value) };
    try {
      const picture = await postAsPage("search/picture", question, this.#asked.signal);
      showError(byId("search-error"), "");
      this.#top = top;
      this.#draw(picture);
    } catch (error) {
      if (!isAbort(error)) showError(byId("search-error"), error.message);
    }
  }

  #draw(picture) {
    const first = this.#picture === null;
    this.#picture = picture;
    byId("search-walk").hidden = false;
    byId("tree-section").hidden = false;
    byId("search-words").replaceChildren(...picture.words.map(line => h("li", {}, line)));
    this.#tell();
    byId("search-step").value = picture.step;
    this.#drawWay();
    byId("tree-notes").replaceChildren(
      h("b", {}, picture.title), ...picture.notes.map(note => h("span", { class: "faint" }, note)));
    this.#drawTree(picture.svg);
    if (first) showRoot(byId("tree"));
  }

  #tell() {
    const { step, steps, chosen } = this.#picture;
    const place = this.#position?.place ?? "action";
    const choice = chosen === null ? "" : ` It chooses ${place} ${chosen + 1}.`;
    byId("search-state").textContent = this.#paused
      ? `Paused at step ${step}, while the search goes on.`
      : this.#thinking ? `Thinking: ${counted(steps)} so far.` : `Step ${step} of ${steps}.${choice}`;
    const slider = byId("search-step");
    slider.max = steps;
    slider.setAttribute("aria-valuetext", `step ${step} of ${steps}`);
  }

  #drawWay() {
    const ways = this.#top.map((action, index) => ({ name: String(action + 1), top: this.#top.slice(0, index + 1) }));
    const items = [{ name: "whole tree", top: [] }, ...ways].map(({ name, top }) => {
      const here = top.length === this.#top.length;
      const button = h("button", { type: "button", onclick: () => this.#ask(this.#step, top) }, name);
      if (here) button.setAttribute("aria-current", "location");
      return h("li", {}, button);
    });
    byId("tree-way").replaceChildren(...items);
  }

  #drawTree(text) {
    const tree = byId("tree");
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const picture = document.importNode(parsed, true);
    removeHeading(picture);
    picture.setAttribute("role", "group"); // an image could hold no buttons
    picture.setAttribute("aria-label", this.#picture.title);
    for (const folded of picture.querySelectorAll("g.node.folded")) this.#makeOpen(folded);
    const focused = tree.contains(document.activeElement);
    tree.replaceChildren(picture);
    if (focused) tree.focus();
  }

  /** Make a folded mark a button: it leads to the node that it belongs to. */
  #makeOpen(folded) {
    const path = pathOf(folded.querySelector("title").textContent);
    const count = folded.querySelector("text")?.textContent ?? "more";
    folded.setAttribute("role", "button");
    folded.setAttribute("tabindex", "0");
    folded.setAttribute("aria-label", `${count} nodes: open`);
    const open = () => this.#open(path);
    folded.addEventListener("click", open);
    folded.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      open();
    });
  }

  /** Open a folded part: from its node down, or, where that is the top, with more nodes. */
  #open(path) {
    const nodes = byId("search-nodes");
    if (path.length === this.#top.length && nodes.selectedIndex < nodes.options.length - 1) {
      nodes.selectedIndex++;
    }
    this.#ask(this.#step, path);
  }
}

/** Take the title and the notes out of a picture: they stand above it, where nothing scrolls. */
function removeHeading(picture) {
  picture.querySelector("g.heading").remove();
  const { x, y, width, height } = picture.viewBox.baseVal;
  const tree = picture.querySelector("g.tree").transform.baseVal.getItem(0).matrix;
  const top = tree.f - MARGIN;
  picture.setAttribute("viewBox", `${x} ${y + top} ${width} ${height - top}`);
  picture.setAttribute("height", height - top);
}

/** The actions of a node's title, as in "4,4,3", counted from 0. */
function pathOf(title) {
  return /^\d+(,\d+)*$/.test(title) ? title.split(",").map(number => Number(number) - 1) : [];
}

function counted(steps) {
  return steps === 1 ? "1 step" : `${steps} steps`;
}

/** Scroll to the node at the top, which need not stand in the middle. */
function showRoot(tree) {
  const root = tree.querySelector("g.node").getBoundingClientRect();
  const { left, width } = tree.getBoundingClientRect();
  tree.scrollLeft += root.left + root.width / 2 - left - width / 2;
}
