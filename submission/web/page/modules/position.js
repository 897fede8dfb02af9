/** The positions of a line of moves before its end. */

/** The position at a ply before the end of a line, which needs no rules: nobody has won there. */
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
