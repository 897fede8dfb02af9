/** The tree of a search on its stage: drawing, zooming, and walking through it by keys. */

import { Camera } from "./camera.js";
import { svg } from "./dom.js";
import { APART, layOut, layOutStep, SHAPES, SIGN } from "./tree_layout.js";

const THIN = 1.3, THICK = 3, THICKEST = 9; // edges: any, on the principal variation, with all simulations
const KEYS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const ASIDE = 3; // weight of a distance aside to a distance ahead
const ZOOM = 1.25; // by a key or a button
const CORNERS = {
  max: [[0, 0], [0.5, 1], [-0.5, 1]],
  min: [[-0.5, 0], [0.5, 0], [0, 1]],
  chance: [[0, 0], [0.5, 0.5], [0, 1], [-0.5, 0.5]],
};

/**
 * @typedef {object} TreeView
 *   nodes, whole         as the server sends them, and those after the last step; null: not known yet
 *   top, now, selected   the paths of the node at the top, of that of the current step, and of the selected one
 *   place, columns       "column" or "cell"; the width of the board
 *   boards, count        whether nodes show their boards; how many are shown, 0 for as many as fit
 */

/** A tree in an element. */
export class Tree {
  #view = null;
  #laid = null;
  #whole = null; // the layout of the whole tree, whose places all steps keep
  #wholeOf = []; // the input from which it was made
  #svg;
  #camera;
  #layers;
  #drawn = new Map(); // elements by key
  #pressed; // the key of the item that was pressed: in a growing tree it moves before the pointer is lifted
  #onSelect;
  #onOpen;

  /** The handlers take a chosen node, a node to unfold, and the number of nodes shown. */
  constructor(container, { onSelect, onOpen, onShown }) {
    this.#onSelect = onSelect;
    this.#onOpen = onOpen;
    this.onShown = onShown;
    this.#layers = { edges: svg("g", { role: "none" }), items: svg("g", { role: "none" }) };
    const content = svg("g", { role: "none" }, this.#layers.edges, this.#layers.items);
    this.#svg = svg("svg", { role: "tree" }, content);
    this.#camera = new Camera(this.#svg, content);
    container.append(this.#svg);
    this.#svg.addEventListener("pointerdown", event => { this.#pressed = this.#itemOf(event.target)?.key; });
    this.#svg.addEventListener("pointerup", event => this.#release(event));
    this.#svg.addEventListener("click", event => { if (!event.detail) this.#choose(this.#itemOf(event.target)); }); // by no pointer
    this.#svg.addEventListener("keydown", event => this.#press(event));
    new ResizeObserver(() => this.#draw()).observe(container);
  }

  /** Show a tree. @param {TreeView} view @param {string} name for screen readers */
  show(view, name) {
    for (const nodes of [view.nodes, view.whole ?? []]) {
      for (const node of nodes) node.path = node.parent === null ? view.top : [...nodes[node.parent].path, node.move];
    }
    this.#view = view;
    this.#svg.setAttribute("aria-label", name);
    this.#draw();
  }

  /** Fit the whole tree to the stage again. */
  fit() {
    this.#camera.isFit = true;
    this.#wholeOf = [];
    this.#draw();
  }

  /** Zoom in (1) or out (-1). @param {number} steps */
  zoom(steps) {
    this.#camera.zoom(ZOOM ** steps);
  }

  /** Focus the selected node. */
  focus() {
    this.#svg.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  }

  #draw() {
    const { width, height } = this.#camera.room;
    if (!this.#view || width <= 0 || height <= 0) return;
    const { nodes, now, columns, boards, count, whole } = this.#view;
    const room = { width, height, boards, count };
    const isNew = this.#changeWhole([whole, ...Object.values(room)]);
    if (whole && isNew) this.#whole = layOut(whole, columns, room);
    this.#laid = whole ? layOutStep(nodes, now, columns, room, this.#whole) : layOut(nodes, columns, room);
    this.onShown(this.#laid.shown);
    const focused = document.activeElement?.dataset?.key;
    this.#renew(this.#layers.edges, this.#laid.edges, edge => this.#edge(edge));
    this.#renew(this.#layers.items, this.#laid.items, item => this.#item(item));
    this.#mark();
    if (focused !== undefined) (this.#drawn.get(focused) ?? this.#svg.querySelector("[tabindex='0']"))?.focus({ preventScroll: true });
    const line = this.#laid.items.filter(({ kind, node }) => kind === "node" && node.principal);
    const wanted = [...line.toReversed(), this.#nearest(this.#view.selected)].map(item => this.#middle(item));
    this.#camera.show(this.#laid, wanted, !isNew);
  }

  /** Note the input of the whole tree's layout. @returns {boolean} whether it has changed */
  #changeWhole(from) {
    const isNew = from.some((one, index) => one !== this.#wholeOf[index]);
    this.#wholeOf = from;
    return isNew;
  }

  /** Draw elements by their keys; those that stay move to their new places. */
  #renew(layer, all, draw) {
    const gone = new Set(layer.children);
    for (const one of all) {
      const drawn = draw(one);
      gone.delete(drawn);
      layer.append(drawn);
    }
    for (const element of gone) {
      this.#drawn.delete(element.dataset.key);
      element.remove();
    }
  }

  #kept(key, name) {
    const kept = this.#drawn.get(key) ?? svg(name, { "data-key": key });
    this.#drawn.set(key, kept);
    return kept;
  }

  #edge({ key, d, nodes, cut }) {
    const path = this.#kept(key, "path");
    const isPrincipal = nodes.some(node => node.principal);
    const share = Math.max(0, ...nodes.map(node => node.share ?? 0));
    const thick = share ? THIN + (THICKEST - THIN) * share : isPrincipal ? THICK : THIN;
    const names = ["edge", isPrincipal && "principal", cut && "cut", nodes.some(node => this.#isOnWay(node)) && "now"];
    path.setAttribute("class", names.filter(Boolean).join(" "));
    path.setAttribute("d", d);
    path.setAttribute("stroke-width", thick);
    return path;
  }

  /** Whether a node is the current one or above it. */
  #isOnWay({ path }) {
    return path.every((move, index) => this.#view.now[index] === move);
  }

  #item(item) {
    const group = this.#kept(item.key, "g");
    const { node, kind } = item;
    const way = kind === "node" && this.#isOnWay(node);
    const now = way && node.path.length === this.#view.now.length;
    const names = ["item", kind, kind === "node" && node.principal && "principal", way && "way", now && "now"];
    group.setAttribute("class", names.filter(Boolean).join(" "));
    group.style.transform = `translate(${item.x}px, ${item.y}px)`;
    group.replaceChildren(frameOf(item), ...partsOf(item));
    const role = kind === "unvisited" ? "none" : "treeitem";
    group.setAttribute("role", role);
    if (role === "none") return group;
    group.setAttribute("aria-label", kind === "folded" ? `${item.count} nodes folded: open` : nameOf(node, this.#view.place));
    group.setAttribute("aria-level", node.path.length - this.#view.top.length + (kind === "folded" ? 2 : 1));
    return group;
  }

  /** Mark the selected node, which receives the tree's focus. */
  #mark() {
    const selected = this.#nearest(this.#view.selected);
    for (const item of this.#laid.items) {
      if (item.kind === "unvisited") continue;
      const element = this.#drawn.get(item.key);
      element.setAttribute("tabindex", item === selected ? 0 : -1);
      element.setAttribute("aria-selected", item === selected);
    }
  }

  /** The item of a node or, if that is folded, of the nearest one above it. */
  #nearest(path) {
    const named = new Map(this.#laid.items.map(item => [item.key, item]));
    for (let length = path.length; length >= 0; length--) {
      const found = named.get(path.slice(0, length).join());
      if (found) return found;
    }
    return this.#laid.items[0];
  }

  #middle({ x, y, width, height, across }) {
    return { x: across ? x + width / 2 : x, y: y + height / 2 };
  }

  #itemOf(target) {
    return this.#itemNamed(target.closest?.("g.item")?.dataset.key);
  }

  #itemNamed(key) {
    return this.#laid?.items.find(item => item.key === key);
  }

  #release({ button }) {
    if (button === 0 && !this.#camera.isDragged) this.#choose(this.#itemNamed(this.#pressed));
  }

  #choose(item) {
    if (!item || item.kind === "unvisited") return;
    if (item.kind === "folded") {
      this.#onOpen(item.node);
      return;
    }
    this.#view.selected = item.node.path;
    this.#mark();
    this.#drawn.get(item.key).focus({ preventScroll: true });
    this.#camera.reveal(this.#middle(item));
    this.#onSelect(item.node);
  }

  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.#laid) return;
    const item = this.#itemOf(event.target);
    const does = {
      "+": () => this.zoom(1), "=": () => this.zoom(1), "-": () => this.zoom(-1), 0: () => this.fit(),
      Enter: () => this.#choose(item), " ": () => this.#choose(item),
    };
    const action = KEYS[event.key] && item ? () => this.#walk(item, KEYS[event.key]) : does[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Go to the next item in a direction. */
  #walk(from, [right, down]) {
    const start = this.#middle(from);
    let best = null, least = Infinity;
    for (const item of this.#laid.items) {
      const at = this.#middle(item);
      const ahead = (at.x - start.x) * right + (at.y - start.y) * down;
      const aside = Math.abs((at.x - start.x) * down + (at.y - start.y) * right);
      const distance = ahead + ASIDE * aside;
      if (item.kind === "unvisited" || ahead < 1 || distance >= least) continue;
      [best, least] = [item, distance];
    }
    if (!best) return;
    if (best.kind === "node") this.#choose(best);
    else {
      this.#drawn.get(best.key).focus({ preventScroll: true });
      this.#camera.reveal(this.#middle(best));
    }
  }
}

/** Describe a node in words. */
function nameOf(node, place) {
  const player = { max: "X to move", min: "O to move", chance: "chance", terminal: "the game is over" };
  return [
    node.action ? `${place} ${node.action}` : "the top",
    player[node.shape] ?? "looked no deeper",
    node.value && `value ${node.value}`,
    node.visits !== undefined && `visits ${node.visits}`,
    node.mark,
    node.cutoff && `cut off, ${node.cutoff}`,
  ].filter(Boolean).join(", ");
}

// Drawing: the origin is the middle of an item's upper edge, or the left end of a row

function frameOf({ across, width, height }) {
  const [x, y, w, h] = across ? [-2, 0, width + 2, height] : [-width / 2 - 5, -3, width + 10, height + 6];
  return svg("rect", { class: "frame", x, y, width: w, height: h, rx: 6 });
}

function partsOf({ parts, across, width }) {
  let y = 0;
  return parts.flatMap(part => {
    const drawn = paint(part, across ? width / 2 : 0, y);
    y += part.height;
    return drawn;
  });
}

/** Draw a part with the middle of its upper edge at (x, y). */
function paint(part, x, y) {
  switch (part.kind) {
    case "text":
      return [words(part, x, y + part.size)];
    case "sign":
      return [signOf(part.shape, part.width, x, y)];
    case "pill":
      return [
        svg("rect", {
          class: `pill ${part.name}`, x: x - part.width / 2, y: y + 1, width: part.width, height: part.height - 2,
          rx: part.name === "terminal" ? 2 : part.height / 2,
        }),
        words({ ...part, name: "value" }, x, y + part.size + 1.5),
      ];
    case "board":
      return boardOf(part, x, y);
    default:
      return rowOf(part, x - part.width / 2, y);
  }
}

/** Draw parts beside each other, from (left, y) on. */
function rowOf({ parts, height }, left, y) {
  let x = left;
  return parts.flatMap(part => {
    const drawn = paint(part, x + part.width / 2, y + (height - part.height) / 2);
    x += part.width + APART;
    return drawn;
  });
}

function words({ words: content, size, name }, x, y) {
  return svg("text", { class: name, x, y, "font-size": size }, content);
}

function signOf(shape, size, x, y) {
  const points = CORNERS[shape].map(([right, down]) => `${x + right * size},${y + down * size}`).join(" ");
  return svg("polygon", { class: `sign ${shape}`, points });
}

/** A small board: one path for the free cells, and one for each player's stones. */
function boardOf({ board, columns, cell, width, height }, x, y) {
  const dots = ["", "", ""];
  [...board].forEach((stone, index) => {
    const at = [x - width / 2 + ((index % columns) + 0.5) * cell, y + 2 + (Math.floor(index / columns) + 0.5) * cell];
    dots[stone] += `M${at[0]} ${at[1]}h0`;
  });
  const names = ["hole", "one", "two"];
  return [
    svg("rect", { class: "board", x: x - width / 2 - 1, y: y + 1, width: width + 2, height: height - 2, rx: 2 }),
    ...dots.flatMap((d, stone) => d ? [svg("path", { class: names[stone], d, "stroke-width": cell * 0.8 })] : []),
  ];
}

/** The signs of a tree and their meaning. @param {object[]} nodes @returns {[SVGElement|string, string][]} */
export function legendOf(nodes) {
  const meanings = {
    max: "X maximises", min: "O minimises", chance: "a mean by chance", terminal: "the game is over",
    depth: "looks no deeper",
  };
  const present = new Set(nodes.map(node => node.shape));
  const isPruned = nodes.some(node => node.unvisited);
  const shapes = Object.entries(meanings).filter(([shape]) => present.has(shape)).map(([shape, meaning]) => {
    const sign = SHAPES.has(shape)
      ? signOf(shape, SIGN - 5, 8, 1)
      : svg("rect", { class: `pill ${shape}`, x: 1, y: 3, width: 14, height: 8, rx: shape === "terminal" ? 1 : 4 });
    return [svg("svg", { viewBox: "0 0 16 14", width: 16, height: 14, "aria-hidden": "true" }, sign), meaning];
  });
  return isPruned ? [...shapes, ["✕", "never visited"]] : shapes;
}
