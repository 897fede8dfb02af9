/**
 * The layout of a tree: which of its nodes a stage has room for, and what is drawn of each.
 *
 * All lengths are pixels at a zoom of 1. Interior nodes are placed in levels, leaves beside each other
 * if there is room, and otherwise as rows of a stack. The tree after a step keeps the places of the
 * whole tree, so that everything stays where it is from step to step.
 */

import { arranged } from "./tree_places.js";

const LABEL = 12, VALUE = 13, SMALL = 11; // sizes of text; no label is smaller
const CHARACTER = 0.65, LINE = 1.3; // width, in a wide font, and height of a character, as shares of its size
export const SIGN = 17; // width and height of a node in which someone chooses
const SMALL_SIGN = 12; // the same in a row of a stack
const CELLS = 46; // width of a small board, unless the cells would be too small
const LEAST_CELL = 4, LARGEST_CELL = 9;
export const APART = 5; // between two parts of a row
const CHARACTERS = 5; // room in a value and in a count, so that nodes keep their widths
const LEAST_NODES = 10; // shown however small the stage is
const INDENT = 14; // of a row below another
export const SHAPES = new Set(["max", "min", "chance"]); // of nodes in which someone chooses

/**
 * A part is a text, a sign, a pill, a board, or a row of these.
 *
 * @typedef {object} Item what is drawn for a node, for the nodes folded below one, or for those cut off
 *   key, kind, node    `key` is the same in all layouts; `kind` is "node", "folded" or "unvisited"
 *   parts, across      from top to bottom, or from left to right in a row of a stack
 *   isBeside           whether it is in the same row as the item before it
 *   x, y               of its middle or, in a row, of its left end; of its upper edge
 */

/**
 * Lay out a tree in the room of a stage. The nodes have their paths, and the most important come first; a `count` of 0
 * shows as many as fit. The layout includes the root's middle, and whether all of the tree is shown.
 */
export function layOut(nodes, columns, room) {
  const place = (number, stacked) => placed(nodes, nodes.slice(0, number), columns, room.boards, stacked, null);
  const most = room.count ? Math.min(room.count, nodes.length) : nodes.length;
  const row = place(most, false);
  if (fits(row, room)) return row;
  return room.count ? place(most, true) : largest(number => place(number, true), most, room);
}

/** Lay out a tree as it was after a step: in the places of the whole tree, with the path to the step's node. */
export function layOutStep(nodes, now, columns, room, whole) {
  const isOnWay = ({ path }) => path.every((move, depth) => move === now[depth]);
  const chosen = nodes.filter(node => whole.places.has(node.path.join()) || isOnWay(node));
  return placed(nodes, chosen, columns, room.boards, whole.stacked, whole);
}

function fits(tree, { width, height }) {
  return tree.width <= width && tree.height <= height;
}

/** The layout of as many nodes as fit. */
function largest(place, most, room) {
  const all = place(most);
  if (fits(all, room)) return all;
  let least = Math.min(LEAST_NODES, most), tooMany = most;
  while (least + 1 < tooMany) {
    const middle = (least + tooMany) >> 1;
    if (fits(place(middle), room)) least = middle;
    else tooMany = middle;
  }
  return place(least);
}

/** Lay out the chosen nodes, each after its parent; in the places of the whole tree, if given. */
function placed(nodes, chosen, columns, boards, stacked, whole) {
  const placeOf = node => whole?.places.get(node.path.join());
  const rankOf = node => placeOf(node)?.rank ?? Infinity;
  const children = new Map(chosen.map(node => [node, []]));
  for (const node of chosen) if (node !== nodes[0]) children.get(nodes[node.parent]).push(node);
  for (const some of children.values()) some.sort((a, b) => rankOf(a) - rankOf(b) || a.place - b.place);
  const columnsOf = boards ? columns : 0;
  const isRow = node => {
    if (placeOf(node)) return !placeOf(node).isBlock;
    return stacked && (Boolean(whole) || !children.get(node).length);
  };

  const marksOf = node => {
    const hidden = node.below - children.get(node).reduce((sum, child) => sum + 1 + child.below, 0);
    return [
      ...(hidden ? [foldedItem(node, hidden)] : []),
      ...(node.unvisited ? [unvisitedItem(node)] : []),
    ];
  };
  const rowsOf = (node, indent) => [
    { ...nodeItem(node, rowParts(node, columnsOf)), indent, least: placeOf(node)?.top ?? 0 },
    ...marksOf(node).map(mark => ({ ...mark, isBeside: true })),
    ...children.get(node).flatMap(child => rowsOf(child, indent + INDENT)),
  ];
  const blockOf = node => {
    const block = columnBlock(nodeItem(node, partsOf(node, columnsOf)));
    const rows = [];
    let stack;
    const close = () => rows.length && block.children.push(stackBlock(rows.splice(0)));
    for (const child of children.get(node)) {
      if (isRow(child)) {
        const own = placeOf(child)?.stack ?? stack;
        if (own !== stack) close();
        stack = own;
        rows.push(...rowsOf(child, 0));
      } else {
        close();
        block.children.push(blockOf(child));
      }
    }
    if (stacked) rows.push(...marksOf(node));
    close();
    if (!stacked) block.children.push(...marksOf(node).map(columnBlock));
    return block;
  };
  const isWhole = whole?.isWhole ?? chosen.length > nodes[0].below;
  return { ...arranged(blockOf(nodes[0]), whole), shown: chosen.length, isWhole, stacked };
}

// What is drawn of a node

function text(words, size, name, least = 0) {
  const width = Math.max(words.length, least) * size * CHARACTER;
  return { kind: "text", words, size, name, width, height: size * LINE };
}

function pill(words, name, size = VALUE) {
  return { kind: "pill", words, size, name, width: words.length * size * CHARACTER + 14, height: size * LINE + 3 };
}

function sign(node, size) {
  return { kind: "sign", shape: node.shape, width: size, height: size };
}

function boardPart(board, columns) {
  const cell = Math.max(LEAST_CELL, Math.min(LARGEST_CELL, CELLS / columns));
  return { kind: "board", board, columns, cell, width: columns * cell, height: (board.length / columns) * cell + 4 };
}

function actionOf({ action, probability }) {
  return [action, probability && `(${probability})`].filter(Boolean).join(" ");
}

/** All parts of a node, from top to bottom; without a board if `columns` is 0. */
function partsOf(node, columns) {
  return [
    beside(headParts(node, SIGN, VALUE)),
    node.visits !== undefined && text(`n ${node.visits}`, SMALL, "soft", CHARACTERS),
    node.board && columns && boardPart(node.board, columns),
    node.value && node.mark && node.shape !== "terminal" && text(node.mark, SMALL, "soft"),
    ...windowParts(node),
  ].filter(Boolean);
}

/** Alpha and beta or, if children were not visited, the reason. */
function windowParts({ alpha, beta, cutoff }) {
  const reason = cutoff?.match(/^alpha (.*) ≥ beta (.*)$/);
  if (reason) return [text(`α ${reason[1]} ≥`, SMALL, "cut"), text(`β ${reason[2]}`, SMALL, "cut")];
  return [
    alpha && text(`α ${alpha}`, SMALL, "soft"),
    beta && text(`β ${beta}`, SMALL, "soft"),
    cutoff && text(cutoff, SMALL, "cut"),
  ];
}

/** The action that leads to a node, its sign and its value. */
function headParts(node, signSize, valueSize) {
  const chooses = SHAPES.has(node.shape);
  return [
    node.action && text(actionOf(node), LABEL, "action"),
    chooses ? sign(node, signSize) : pill(node.value ?? "", node.shape, valueSize),
    chooses && text(node.value ?? "?", valueSize, "value", CHARACTERS),
  ].filter(Boolean);
}

/** Parts from left to right. */
function beside(parts) {
  return {
    kind: "row",
    parts,
    width: parts.reduce((sum, part) => sum + part.width + APART, -APART),
    height: Math.max(...parts.map(part => part.height)) + 2,
  };
}

/** The parts of a leaf, from left to right. */
function rowParts(node, columns) {
  return [
    node.board && columns && boardPart(node.board, columns),
    ...headParts(node, SMALL_SIGN, LABEL),
    node.visits !== undefined && text(`n ${node.visits}`, SMALL, "soft", CHARACTERS),
    node.value && node.mark && node.shape !== "terminal" && text(node.mark, SMALL, "soft"),
  ].filter(Boolean);
}

function nodeItem(node, parts) {
  return { kind: "node", key: node.path.join(), node, parts };
}

function foldedItem(node, count) {
  return { kind: "folded", key: `${node.path.join()}+`, node, count, parts: [pill(`+ ${count}`, "folded", LABEL)] };
}

function unvisitedItem(node) {
  const words = `✕ ${node.unvisited.join(" ")}`;
  return { kind: "unvisited", key: `${node.path.join()}x`, node, parts: [text(words, SMALL, "cut")] };
}

// Blocks: a node, or a stack of leaves

function columnBlock(item) {
  const width = Math.max(...item.parts.map(part => part.width));
  const height = item.parts.reduce((sum, part) => sum + part.height, 4);
  return { key: item.key, items: [{ ...item, across: false, width, height }], width, height, children: [] };
}

/** A stack of rows, none of them above its kept place. */
function stackBlock(items) {
  const rows = items.map(item => {
    const row = beside(item.parts);
    return { ...item, parts: [row], across: true, width: row.width + 2 * APART, height: row.height };
  });
  let y = 0, width = 0;
  rows.forEach((row, index) => {
    const former = row.isBeside ? rows[index - 1] : null;
    row.left = former ? former.left + former.width : row.indent ?? 0;
    row.top = former ? former.top + (former.height - row.height) / 2 : Math.max(y, row.least ?? 0);
    width = Math.max(width, row.left + row.width);
    if (!former) y = row.top + row.height;
  });
  return { key: rows[0].key, items: rows, isStack: true, width, height: y, children: [] };
}
