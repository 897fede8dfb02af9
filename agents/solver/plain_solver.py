"""The search of `agents.solver.solver_kernel` as a recursion, in plain Python.

It visits nearly the same nodes. Python's integers of any length save time: the boards after all
moves of a position lie side by side in one long integer, each in its own lane, and one series of
shifts finds the threats on all of them.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import inf

from agents.agent import Clock, TimeUp
from agents.solver.follow_up import follow_up_bound
from agents.solver.position_bounds import (
    CHILD_LEFT,
    TABLE_LEFT,
    ForcedLine,
    Position,
    after_move,
    is_lost,
    play_forced,
    position_of,
    trivial_bounds,
    win_score,
)
from agents.solver.solver_windows import PROBE_NODES, next_alpha
from envs.bitboard import board_masks, column_cells, column_from_middle, completing_cells
from envs.board import BoardState
from envs.connectx import ConnectX

NODES_BETWEEN_GLANCES = 256  # how often to look at the clock: every few milliseconds
MOST_KNOWN_POSITIONS = 1 << 20
"""Positions, some 200 bytes each; a table that has reached this size is emptied."""


class PlainEngine:
    """The search for one size of board, with its table of bounds."""

    def __init__(self, env: ConnectX) -> None:
        self.board = board_masks(*env.size)
        self.table: dict[int, tuple[int, int]] = {}
        """Lower and upper bound of a score, by `mover + mask`."""
        self.nodes = 0
        self.limit(Clock(), inf)
        width = (env.rows + 1) * env.columns + (env.inarow - 1) * (env.rows + 2)
        order = [column_from_middle(env.columns, place) for place in range(env.columns)]
        self._lanes = [width * place for place in range(env.columns)]
        self._in_each = sum(1 << lane for lane in self._lanes)
        self._board_in_each = self.board.board * self._in_each
        self._column_of_lane = sum(
            column_cells(env.rows, column) << lane
            for column, lane in zip(order, self._lanes, strict=True)
        )

    def forget(self) -> None:
        """Empty the table."""
        self.table.clear()

    def limit(self, clock: Clock, nodes: float) -> None:
        """End searches when the time is up, or after this number of nodes in total."""
        self._clock = clock
        self._node_limit = nodes
        self._next_glance = 0.0

    def narrow(self, state: BoardState, lower: int, upper: int) -> Iterator[tuple[int, int]]:
        """Yield ever narrower bounds of a score, until they are equal; TimeUp as in `search`."""
        least, most = trivial_bounds(self.board, state.mover, state.mask)
        upper = max(lower, min(upper, most))
        lower = min(upper, max(lower, least))
        guess, end_of_probe = 0, self.nodes + PROBE_NODES
        yield lower, upper
        while lower < upper:
            alpha = next_alpha(lower, upper, guess, self.nodes < end_of_probe)
            value = self.search(position_of(self.board, state.mover, state.mask), alpha)
            if value > alpha:
                lower = guess = min(upper, value)
            else:
                upper = max(lower, value)
                guess = value - 1
            yield lower, upper

    def search(self, position: Position, alpha: int) -> int:
        """Search a position with the window (alpha, alpha + 1).

        Returns:
            A bound v of the true score t, both for the player to move: t <= v if v <= alpha, and
            t >= v if v > alpha; see `agents.solver.solver_kernel.search`. TimeUp if the time or the
            nodes are used up.
        """
        if self.nodes >= self._next_glance:
            self._glance()
        self.nodes += 1
        line = play_forced(self.board, position, alpha)
        value = line.value if line.decided else self._search_moves(line)
        return line.sign * value

    def _search_moves(self, line: ForcedLine) -> int:
        """The value of a position with several moves."""
        _, _, _, position, alpha, moves = line
        mover, mask, own, threats = position
        stones, cells = mask.bit_count(), self.board.cells
        value = follow_up_bound(self.board, mover, mask, threats, alpha)
        if value <= alpha:
            return value  # fail low: the opponent answers in pairs
        lower, upper = self.table.get(mover + mask, (-cells, cells))
        if lower > alpha:
            return lower  # fail high: proven by an earlier search
        if upper <= alpha:
            return upper  # fail low: proven by an earlier search
        children = self._children(mover, mask, own, moves)
        if not children:
            return win_score(cells, stones + 2)  # exact: more threats than can be met
        highest = win_score(cells, min(stones + 4, cells + 1))
        if highest <= alpha:
            return highest  # fail low: the opponent can meet all threats of the next stone
        if cells - stones > CHILD_LEFT:
            for _, _, move, _ in children:
                _, upper = self.table.get((mover ^ mask) + (mask | move), (0, cells))
                if -upper > alpha:
                    return -upper  # fail high: this bounds the opponent's score after the move
        best = -cells
        for _, _, move, made in children:
            best = max(best, -self.search(after_move(position, move, made), -alpha - 1))
            if best > alpha:
                break  # fail high: the opponent will avoid this position
        self._remember(mover, mask, best, alpha)
        return best

    def _glance(self) -> None:
        """Schedule the next look at the clock; TimeUp if the time or the nodes are used up."""
        if self.nodes >= self._node_limit:
            raise TimeUp
        self._clock.check()
        self._next_glance = min(self._node_limit, self.nodes + NODES_BETWEEN_GLANCES)

    def _children(
        self, mover: int, mask: int, own: int, moves: int
    ) -> Sequence[tuple[int, int, int, int]]:
        """The moves, the best first: negated merit, lane, cell and the threats after the move.

        Empty if a move makes more threats than the opponent can meet.
        """
        board = self.board
        played = moves * self._in_each & self._column_of_lane
        filled = mask * self._in_each | played
        threatened = completing_cells(mover * self._in_each | played, board.rows, board.inarow)
        threatened &= self._board_in_each & ~filled
        children = []
        for place, lane in enumerate(self._lanes):
            move = (played >> lane) & board.board
            if move:
                threats = (threatened >> lane) & board.board
                if threats and is_lost(board, mask | move, threats):
                    return ()
                merit = threats.bit_count() - 2 * ((move << 1) & own != 0)
                children.append((-merit, place, move, threats))
        children.sort()
        return children

    def _remember(self, mover: int, mask: int, best: int, alpha: int) -> None:
        """Enter the bound that a search has proven, and keep the other one."""
        stones = mask.bit_count()
        if self.board.cells - stones <= TABLE_LEFT:
            return
        if len(self.table) >= MOST_KNOWN_POSITIONS:
            self.table.clear()
        cells = self.board.cells
        least, most = -win_score(cells, stones + 1), win_score(cells, stones)
        lower, upper = self.table.get(mover + mask, (least, most))
        if best > alpha:
            lower = max(lower, best)
        else:
            upper = min(upper, best)
        self.table[mover + mask] = lower, upper


class PlainJob:
    """Positions that are solved one after the other, as by a `solver_engine.CompiledJob`.

    After an interruption the last window is searched again, with the help of the table.
    """

    def __init__(
        self, engine: PlainEngine, states: Sequence[BoardState], lower: int, upper: int, cold: bool
    ) -> None:
        self.cancelled = False
        self.lowers = [lower] * len(states)
        self.uppers = [upper] * len(states)
        self.nodes = 0
        self._engine = engine
        self._cold = cold
        self._states = states
        self._solved = 0

    def run(self, clock: Clock, node_limit: float) -> None:
        """Continue until all are solved, the time is up, or `node_limit` nodes are visited."""
        engine = self._engine
        begun = engine.nodes
        engine.limit(clock, begun + node_limit - self.nodes)
        with suppress(TimeUp):
            for index in range(self._solved, len(self._states)):
                if self.cancelled:
                    break
                if self._cold:
                    engine.forget()
                for bounds in engine.narrow(
                    self._states[index], self.lowers[index], self.uppers[index]
                ):
                    self.lowers[index], self.uppers[index] = bounds
                self._solved = index + 1
        self.nodes += engine.nodes - begun
