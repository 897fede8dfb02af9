/** The search view: a search's tree as it grows, and then step by step. */

import { keep, kept } from "./address.js";
import { postAsPage, stream } from "./api.js";
import { byId, h, isAbort, showError } from "./dom.js";
import { optionsForm } from "./seats.js";
import { legendOf, Tree } from "./tree.js";
import { NodePanel } from "./tree_node.js";

const HIDDEN = ["engine", "keep_tree", "weights"]; // a recorded search is plain Python, without a network
const FIRST = "alphabeta";
const MAIN = ["depth", "simulations"];
const MOST_NODES = 300; // nodes that the server sends
const WHOLE = 150; // pictures of a whole search when it is played in one go
const FRAME_TIME = 100; // milliseconds per picture
const GONE = "The search that was here is not kept any more: Start begins it again.";

/** The search view: its form and, once a search has begun, its stage. */
export class Search {
  #setup;
  #form;
  #position = null;
  #key = "";
  #isShown = false;
  #source = null;
  #thinking = false;
  #paused = false; // whether new pictures are not shown, while the search goes on
  #begun = null; // the agent and the options of the latest search
  #latest = null; // the latest picture of a search
  #whole = null; // the nodes below the top after the last step, whose places all steps keep
  #picture = null; // the picture that is shown
  #wanted = 1; // the step that is asked for or shown
  #selected = null; // the path of the chosen node; null: that of the current step
  #top = [];
  #playing = null; // the running play, or null
  #asked = new AbortController();
  #tree;
  #panel = new NodePanel();

  /** @param {object} setup */
  constructor(setup) {
    this.#setup = setup;
    const select = byId("search-agent");
    for (const { name, search } of setup.agents) {
      if (search) select.append(h("option", { value: name, selected: name === FIRST }, name));
    }
    this.#tree = new Tree(byId("tree"), {
      onSelect: node => this.#select(node),
      onOpen: node => this.#open(node),
      onShown: shown => this.#tellShown(shown),
    });
    this.#showOptions();
    this.#bind();
  }

  /** Whether only the stage is visible. */
  get isOnStage() {
    return this.#isShown && document.querySelector("main").hasAttribute("data-stage");
  }

  /** Show the position from which a search would begin; a hidden view keeps its tree if that is of this position. */
  show(position, isShown) {
    const key = `${position.game} ${position.moves}`;
    this.#isShown = isShown;
    if (!isShown) this.#endPlay();
    const isFirst = !this.#key;
    if (key !== this.#key) {
      this.#stop();
      this.#clear();
    }
    this.#position = position;
    this.#key = key;
    if (isFirst) this.#findAgain();
  }

  /** Go some steps forward or back, if there is a tree. @param {number} by */
  move(by) {
    if (this.#picture) this.#go(this.#wanted + by);
  }

  /** Pause or follow the picture of a running search; play or pause the steps of a finished one. */
  togglePause() {
    if (!this.#picture) return;
    if (this.#thinking && this.#paused) this.#follow();
    else if (this.#thinking) this.#setPaused(true);
    else if (this.#playing) this.#endPlay();
    else this.#play();
  }

  #bind() {
    addEventListener("pagehide", () => this.#keep());
    byId("search-agent").addEventListener("change", () => this.#showOptions());
    byId("search-form").addEventListener("submit", event => {
      event.preventDefault();
      this.#start();
    });
    byId("search-step").addEventListener("input", () => this.#go(byId("search-step").valueAsNumber));
    const clicks = {
      "search-stop": () => this.#stop(),
      "search-play": () => this.togglePause(),
      "search-first": () => this.#go(1),
      "search-back": () => this.move(-1),
      "search-on": () => this.move(1),
      "search-last": () => this.#go(Infinity),
      "search-leave": () => this.#setStage(false),
      "search-return": () => this.#setStage(true),
      "tree-in": () => this.#tree.zoom(1),
      "tree-out": () => this.#tree.zoom(-1),
      "tree-whole": () => this.#tree.fit(),
    };
    for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener("click", action);
    for (const id of ["search-nodes", "tree-boards"]) {
      byId(id).addEventListener("change", () => this.#picture && this.#drawTree());
    }
  }

  #showOptions(values = null) {
    const name = byId("search-agent").value;
    const agent = this.#setup.agents.find(({ name: known }) => known === name);
    const given = values ?? agent.search;
    byId("search-help").textContent = agent.help;
    const options = agent.options.filter(option => !HIDDEN.includes(option.name));
    const main = optionsForm(options.filter(({ name: option }) => MAIN.includes(option)), given);
    const others = optionsForm(options.filter(({ name: option }) => !MAIN.includes(option)), given);
    this.#form = { read: () => ({ ...main.read(), ...others.read() }) };
    const more = h("details", {}, h("summary", {}, "More options"), others.element);
    more.addEventListener("invalid", () => { more.open = true; }, { capture: true }); // the browser then points at the field
    byId("search-options").replaceChildren(main.element, more);
  }

  // The search

  /** Store the state from which a reload restores the tree. */
  #keep() {
    const found = { ...this.#begun, key: this.#key, step: this.#wanted, thinking: this.#thinking, isOnStage: this.isOnStage };
    keep("sessionStorage", "search", this.#picture && JSON.stringify(found));
  }

  /** Restore the tree from before a reload, if its process still has it. */
  async #findAgain() {
    const found = JSON.parse(kept("sessionStorage", "search"));
    if (found?.key !== this.#key) return;
    byId("search-agent").value = found.agent;
    this.#showOptions(found.options);
    if (found.thinking) {
      this.#start();
      return;
    }
    this.#begun = { agent: found.agent, options: found.options };
    const { signal } = this.#asked = new AbortController();
    try {
      const picture = await askPicture(found.step, [], signal);
      this.#whole = (await askPicture(picture.steps, [], signal)).nodes;
      this.#draw(picture);
      this.#setStage(found.isOnStage);
    } catch (error) {
      if (!isAbort(error)) showError(byId("search-error"), GONE);
    }
  }

  #start() {
    this.#stop();
    this.#clear();
    if (this.#position.over) {
      showError(byId("search-error"), "The game is over: go back to a position with moves to search.");
      return;
    }
    const { game, moves } = this.#position;
    const begun = this.#begun = { agent: byId("search-agent").value, options: this.#form.read() };
    const question = { game, moves, agent: begun.agent, options: JSON.stringify(begun.options), nodes: MOST_NODES };
    this.#setThinking(true);
    this.#source = stream("search", question, picture => this.#take(picture), sentence => {
      this.#setThinking(false);
      showError(byId(this.#picture ? "tree-error" : "search-error"), sentence);
    });
  }

  /** Take a picture of a running search; during a pause, the shown picture stays. */
  #take(picture) {
    const held = this.#paused;
    this.#latest = picture;
    this.#whole = this.#top.length ? null : picture.nodes;
    if (picture.done) this.#setThinking(false);
    if (held) {
      Object.assign(this.#picture, { steps: picture.steps, limit: picture.limit });
      this.#tell();
    } else {
      this.#draw(picture);
    }
  }

  /** Show the latest picture again, from the root. */
  #follow() {
    this.#asked.abort();
    this.#top = [];
    this.#selected = null;
    showError(byId("tree-error"), "");
    this.#setPaused(false);
    this.#draw(this.#latest);
  }

  #stop() {
    this.#endPlay();
    this.#source?.close();
    this.#source = null;
    this.#asked.abort();
    this.#setThinking(false);
  }

  #setThinking(thinking) {
    this.#thinking = thinking;
    byId("search-stop").hidden = !thinking;
    this.#setPaused(false);
  }

  #setPaused(paused) {
    this.#paused = paused;
    this.#tell();
  }

  #clear() {
    this.#latest = null;
    this.#picture = null;
    this.#selected = null;
    this.#top = [];
    for (const place of ["search-error", "tree-error"]) showError(byId(place), "");
    byId("search-return").hidden = true;
    this.#setStage(false);
  }

  /** Show the stage alone, or the board and the form of a search. */
  #setStage(isOn) {
    if (!isOn) this.#endPlay();
    const main = document.querySelector("main");
    if (main.hasAttribute("data-stage") === isOn) return;
    main.toggleAttribute("data-stage", isOn);
    if (!this.#isShown) return;
    scrollTo(0, 0);
    if (isOn) this.#tree.focus();
    else if (this.#picture) byId("search-return").focus();
  }

  // The steps

  /** Go to a step that the user has chosen. */
  #go(step) {
    this.#endPlay();
    this.#selected = null;
    return this.#ask(step);
  }

  /** Ask for the picture after a step; a running search is paused. */
  async #ask(step, top = this.#top) {
    if (this.#thinking) this.#setPaused(true);
    this.#asked.abort();
    const { signal } = this.#asked = new AbortController();
    this.#wanted = Math.max(1, Math.min(step, this.#picture.steps));
    try {
      const picture = await askPicture(this.#wanted, top, signal);
      if (top !== this.#top || !this.#whole) {
        this.#whole = this.#thinking ? null : (await askPicture(picture.steps, top, signal)).nodes;
      }
      showError(byId("tree-error"), "");
      this.#top = top;
      this.#draw(picture);
    } catch (error) {
      if (isAbort(error)) return;
      this.#endPlay();
      this.#wanted = this.#picture.step;
      byId("search-step").value = this.#wanted;
      showError(byId("tree-error"), error.message);
    }
  }

  /** Show one step after the other; from the last step, start again at the first, which has only the root. */
  async #play() {
    const playing = { timer: 0 };
    this.#playing = playing;
    this.#tell();
    if (this.#picture.step >= this.#picture.steps) await this.#ask(1, []);
    while (this.#playing === playing) {
      const pace = Number(byId("search-speed").value);
      await new Promise(resolve => {
        playing.timer = setTimeout(resolve, pace || FRAME_TIME);
        playing.wake = resolve;
      });
      if (this.#playing !== playing) return;
      const { step, steps } = this.#picture;
      if (step >= steps) return this.#endPlay();
      this.#selected = null;
      await this.#ask(step + (pace ? 1 : Math.ceil(steps / WHOLE)));
    }
  }

  #endPlay() {
    if (!this.#playing) return;
    clearTimeout(this.#playing.timer);
    this.#playing.wake?.();
    this.#playing = null;
    this.#tell();
  }

  // What is shown

  #draw(picture) {
    const first = this.#picture === null;
    this.#picture = picture;
    this.#wanted = picture.step;
    byId("search-words").replaceChildren(...picture.words.map(line => h("li", {}, line)));
    byId("search-return").hidden = false;
    if (first) this.#setStage(true);
    this.#tell();
    byId("search-step").value = picture.step;
    byId("tree-title").textContent = picture.title;
    byId("tree-legend").replaceChildren(...legendOf(picture.nodes).map(([sign, meaning]) => h("li", {}, sign, h("span", {}, meaning))));
    this.#drawWay();
    this.#drawTree();
    if (first && this.#isShown) this.#tree.focus();
  }

  #drawTree() {
    const { nodes, path, title } = this.#picture;
    const { place, columns } = this.#position;
    const selected = this.#selected ?? path;
    this.#tree.show({
      nodes, place, columns, selected, top: this.#top, now: path, whole: this.#thinking ? null : this.#whole,
      boards: byId("tree-boards").checked, count: Number(byId("search-nodes").value),
    }, title);
    this.#showNode(nodeAt(nodes, selected));
  }

  #showNode(node) {
    const isTop = node.path.length === this.#top.length;
    this.#panel.show(node, this.#position, isTop ? null : () => this.#open(node));
  }

  #select(node) {
    this.#endPlay();
    this.#selected = node.path;
    this.#showNode(node);
  }

  /** Put a node at the top, so that more nodes below it are shown. */
  #open(node) {
    this.#endPlay();
    const nodes = byId("search-nodes");
    if (node.path.length === this.#top.length && nodes.selectedIndex + 1 < nodes.length) nodes.selectedIndex++;
    this.#selected = node.path;
    this.#ask(this.#wanted, node.path);
  }

  #tell() {
    const play = byId("search-play");
    play.textContent = this.#thinking && this.#paused ? "Follow" : this.#thinking || this.#playing ? "Pause" : "Play";
    byId("search-start").textContent = this.#thinking && !this.#picture ? "Starting…" : "Start";
    if (!this.#picture) return;
    const { step, steps } = this.#picture;
    byId("search-state").ariaBusy = String(this.#playing !== null || (this.#thinking && !this.#paused)); // read at the end
    byId("search-state").textContent = this.#stateText();
    const slider = byId("search-step");
    slider.max = steps;
    slider.setAttribute("aria-valuetext", `step ${step} of ${steps}`);
  }

  #stateText() {
    const { step, steps, chosen, limit } = this.#picture;
    const place = this.#position?.place ?? "action";
    if (this.#paused) return `Paused at step ${step}, while the search goes on.`;
    if (this.#thinking) return `Thinking: ${steps === 1 ? "1 step" : `${steps} steps`} so far.`;
    const choice = chosen === null ? "" : ` It chooses ${place} ${chosen + 1}.`;
    return `Step ${step} of ${steps}.${choice}${limit && step === steps ? ` ${limit}` : ""}`;
  }

  #tellShown(shown) {
    const { notes, nodes } = this.#picture;
    const all = 1 + nodes[0].below;
    const which = nodes[0].visits === undefined ? "of the upper levels" : "with the most visits";
    const folded = shown < all ? ` ${shown} of ${all} are shown, those ${which}.` : "";
    byId("tree-notes").textContent = notes.join(" ") + folded;
  }

  #drawWay() {
    const ways = this.#top.map((action, index) => ({ name: String(action + 1), top: this.#top.slice(0, index + 1) }));
    const items = [{ name: "whole tree", top: [] }, ...ways].map(({ name, top }) => {
      const here = top.length === this.#top.length;
      const button = h("button", { type: "button", onclick: () => this.#ask(this.#wanted, top) }, name);
      if (here) button.setAttribute("aria-current", "location");
      return h("li", {}, button);
    });
    byId("tree-way").hidden = !this.#top.length;
    byId("tree-way").replaceChildren(...items);
  }
}

/** Ask for the picture after a step, below the node `root`. */
function askPicture(step, root, signal) {
  return postAsPage("search/picture", { step, root, nodes: MOST_NODES }, signal);
}

/** The node at a path or, if it is missing, the nearest one above it. */
function nodeAt(nodes, path) {
  const found = nodes.filter(node => node.path.every((move, index) => move === path[index]));
  return found.reduce((best, node) => node.path.length > best.path.length ? node : best, nodes[0]);
}
