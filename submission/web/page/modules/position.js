/** The positions of a line of moves that can be derived without the server. */

/** The position at a ply before the end of a line; it needs no rules, because nobody has won there. */
export function positionAt(end, ply) {
  const cells = end.cells.map(() => 0);
  end.placed.slice(0, ply).forEach((cell, index) => { cells[cell] = 1 + (index % 2); });
  const places = Array.from({ length: end.place === "column" ? end.columns : cells.length }, (_, i) => i);
  return {
    ...end,
    actions: end.actions.slice(0, ply),
    cells,
    placed: end.placed.slice(0, ply),
    player: 1 + (ply % 2),
    legal: places.filter(place => !cells[place]), // a column's number is that of its top cell
    over: false,
    winner: null,
    line: [],
    last: ply ? end.placed[ply - 1] : null,
  };
}

/** The cell filled by a legal move. */
export function landing({ cells, rows, columns, place }, action) {
  if (place === "cell") return action;
  let row = rows - 1;
  while (cells[row * columns + action]) row--;
  return row * columns + action;
}

/** A position with the stone of a move that the server has not yet answered. */
export function withStone(position, action) {
  const last = landing(position, action);
  return { ...position, cells: position.cells.with(last, position.player), last };
}
