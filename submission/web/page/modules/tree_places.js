/**
 * Places a tree's blocks without overlaps (E. M. Reingold and J. S. Tilford, 1981). Once the whole tree has
 * been laid out, its places are kept, and change only to make room for new blocks.
 *
 * A block is a node or a stack of leaves: `key`, `items`, `isStack`, `width`, `height`, `children`.
 */

const BETWEEN = 12; // between two blocks of a level
const LEAST_GAP = 26, WIDEST_GAP = 90, SLOPE = 0.1; // between two levels; `SLOPE` is the share of the widest fan
const STEP_GAP = 6; // at least, between two levels with kept places

/**
 * Place a block and everything below it, in the places of the `whole` layout if given. The result has the root's
 * middle, the place and rank of each block and row, and the upper edge of each level.
 */
export function arranged(root, whole) {
  const levels = [[root]];
  for (;;) {
    const next = levels.at(-1).flatMap(block => block.children);
    if (!next.length) break;
    levels.push(next);
  }
  levels.toReversed().forEach((level, up) => level.forEach(block => outline(block, up + 1, whole)));
  root.x = whole?.root ?? -Math.min(...root.outline.map(([left]) => left));
  for (const level of levels) {
    for (const block of level) for (const child of block.children) child.x = block.x + child.offset;
  }
  const tops = stack(levels, whole?.tops ?? []);
  const blocks = levels.flat();
  return {
    items: blocks.flatMap(itemsOf),
    edges: blocks.flatMap(block => block.children.map(child => edgeOf(block, child))),
    width: whole?.width ?? Math.max(...blocks.map(block => block.x + block.width / 2)),
    height: whole?.height ?? Math.max(...blocks.map(block => block.y + block.height)),
    root: root.x,
    places: new Map(blocks.flatMap(placesOf)),
    tops,
  };
}

/** The place of a block, from its parent's middle; for a stack, where each row begins. */
function placesOf({ key, items, isStack, offset = 0, width }, rank) {
  if (!isStack) return [[key, { rank, at: offset, isBlock: true }]];
  const at = offset - width / 2;
  return items.map((item, row) =>
    [item.key, { rank: rank + row / items.length, at, isBlock: false, stack: items[0].key, top: item.top }]);
}

/** The left and right ends of a block's subtree on each of its levels; a stack reaches to the last one. */
function outline(block, levels, whole) {
  const own = [-block.width / 2, block.width / 2];
  const { children } = block;
  const known = children.map(child => placeOf(child, whole));
  const outlines = children.map(child => child.outline);
  const places = known.some(at => at !== undefined) ? keptOffsets(outlines, known) : offsets(outlines);
  children.forEach((child, index) => { child.offset = places[index]; });
  block.outline = block.isStack ? Array(levels).fill(own) : [own, ...merged(children)];
}

/** The place of a block's middle in the whole tree; undefined if it is not there. */
function placeOf({ items, isStack, width }, whole) {
  const place = items.map(({ key }) => whole?.places.get(key)).find(Boolean);
  return isStack && place ? place.at + width / 2 : place?.at;
}

/** The least distance of two outlines, the second to the right of the first. */
function distance(a, b) {
  return BETWEEN + Math.max(...a.slice(0, b.length).map(([, right], level) => right - b[level][0]));
}

/** Places beside each other, relative to the middle: halfway between packing to the left and to the right. */
function offsets(outlines) {
  const left = [];
  outlines.forEach((one, j) => {
    left.push(Math.max(0, ...outlines.slice(0, j).map((other, i) => left[i] + distance(other, one))));
  });
  const right = left.map(() => left.at(-1));
  for (let i = outlines.length - 2; i >= 0; i--) {
    right[i] = Math.min(...outlines.slice(i + 1).map((other, k) => right[i + 1 + k] - distance(outlines[i], other)));
  }
  return left.map((from, i) => (from + right[i] - left.at(-1)) / 2);
}

/** The known places, moved to the right where necessary, with the new ones beside them. */
function keptOffsets(outlines, known) {
  const first = known.findIndex(at => at !== undefined);
  const places = [];
  places[first] = known[first];
  for (let i = first - 1; i >= 0; i--) {
    places[i] = Math.min(...outlines.slice(i + 1, first + 1).map((other, k) => places[i + 1 + k] - distance(outlines[i], other)));
  }
  for (let j = first + 1; j < outlines.length; j++) {
    const free = Math.max(...outlines.slice(0, j).map((other, i) => places[i] + distance(other, outlines[j])));
    places[j] = Math.max(free, known[j] ?? free);
  }
  return places;
}

function merged(children) {
  const depth = Math.max(0, ...children.map(child => child.outline.length));
  return Array.from({ length: depth }, (_, level) => {
    const ends = children.filter(child => level < child.outline.length)
      .map(({ outline: ends, offset }) => [ends[level][0] + offset, ends[level][1] + offset]);
    return [Math.min(...ends.map(([left]) => left)), Math.max(...ends.map(([, right]) => right))];
  });
}

/** Put each level below the one before: at its kept place, or lower if necessary; wide fans of edges get more room. */
function stack(levels, known) {
  levels[0][0].y = 0;
  return levels.slice(1).map((level, index) => {
    const upper = levels[index].filter(block => !block.isStack);
    const bottom = Math.max(...upper.map(block => block.y + block.height));
    const reach = Math.max(...upper.flatMap(block => block.children.map(child => Math.abs(child.x - block.x))));
    const free = bottom + Math.max(LEAST_GAP, Math.min(SLOPE * reach, WIDEST_GAP));
    const y = known[index] === undefined ? free : Math.max(known[index], bottom + STEP_GAP);
    for (const block of upper) block.bottom = Math.min(bottom, y - STEP_GAP);
    for (const block of level) block.y = y;
    return y;
  });
}

function itemsOf({ items, isStack, x, y, width }) {
  return items.map(item => isStack
    ? { ...item, x: x - width / 2 + item.left, y: y + item.top }
    : { ...item, x, y });
}

function edgeOf(parent, child) {
  const first = child.items[0];
  const middle = (parent.bottom + child.y) / 2;
  const end = child.isStack ? child.x - child.width / 2 - 4 : child.x;
  const down = child.isStack ? `V${child.y + child.height}` : `V${child.y}`;
  return {
    key: `${first.key}>`,
    nodes: child.items.filter(item => item.kind === "node").map(item => item.node),
    cut: child.items.every(item => item.kind === "unvisited"),
    d: `M${parent.x} ${parent.y + parent.height}V${parent.bottom}`
      + `C${parent.x} ${middle} ${end} ${middle} ${end} ${child.y}${down}`,
  };
}
