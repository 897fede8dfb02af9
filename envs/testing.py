"""A contract suite: it checks that a game of your own satisfies `envs.protocol`."""

from collections.abc import Callable, Hashable, Sequence
from math import isfinite
from random import Random
from typing import Any

from envs.bitboard import has_line, mirrored
from envs.board import BoardGame, BoardState
from envs.protocol import (
    CHANCE,
    class_advice,
    is_number,
    require_count,
    require_distribution,
    require_player,
    require_sequence,
)


def check_game(game: Any, *, games: int = 100, seed: int = 0, most_plies: int = 1000) -> None:
    """Play random games and check all states and actions by the contract of `envs.protocol.Env`.

    States and actions are hashable and never change; a method returns the same when called again;
    equal states have the same player and actions; no action is listed twice, and illegal ones are
    refused; rewards are finite numbers in [-1, 1], and 0 before the last action; probabilities of
    chance sum to 1; and games end. An `envs.board.BoardGame` starts with an empty board, a line
    wins, and an action places a stone in its lowest free cell, as long as it has one; its cells
    are adjacent in one column; the actions -1 (Python's last index) and `action_count` are refused.

    Args:
        game: the rules.
        games: how many random games are played.
        seed: the same seed plays the same games.
        most_plies: a longer game counts as one that does not end.

    Raises:
        AssertionError: what is wrong in which state, in one sentence.
        ValueError: `games` or `most_plies` is no whole number of at least 1.
    """
    games, most_plies = require_count("games", games), require_count("most_plies", most_plies)
    if isinstance(game, type):
        raise AssertionError(class_advice(game))
    if isinstance(game, BoardGame):
        _require_columns(game)
    rng, contract = Random(seed), _Contract(game)
    for _ in range(games):
        state = contract.initial_state()
        for _ in range(most_plies):
            actions = contract.actions(state)
            if not actions:
                break
            state = contract.played(state, rng.choice(actions))
        else:
            raise AssertionError(f"a game has not ended after {most_plies} plies, in {state}")


OTHERWISE = "; a game with other rules implements only `Env`"


class _Contract:
    """Calls the methods of a game and checks what they return."""

    def __init__(self, game: Any) -> None:
        self._game = game
        self._known: dict[Hashable, tuple[int, list[Hashable]]] = {}
        """The player and the actions of each state that was reached."""
        self._actions = set[Hashable]()  # all that were legal somewhere

    def initial_state(self) -> Hashable:
        """The initial state, checked."""
        state: Hashable = self._same_twice("initial_state()", self._game.initial_state)
        is_board = isinstance(self._game, BoardGame)
        _require(
            not is_board or state == BoardState.of_stones(0, 0),
            f"initial_state() is {state}: a BoardGame begins with an empty board, and player 1 "
            f"moves first{OTHERWISE}",
        )
        return state

    def actions(self, state: Hashable) -> Sequence[Hashable]:
        """The legal actions, checked; the game must refuse others, such as those seen so far."""
        player = self._same_twice(
            f"current_player({state})", lambda: self._game.current_player(state)
        )
        question = f"get_available_actions({state})"
        ask = self._game.get_available_actions
        given = ask(state)
        _assert(require_sequence, state, given)
        actions = list(self._same_twice(question, lambda: tuple(ask(state))))
        _require(len({*actions}) == len(actions), f"{state} has an action twice: {actions}")
        known = self._known.setdefault(state, (player, actions))
        _require(known == (player, actions), f"{state} had another player or other actions before")
        beside = (-1, self._game.action_count) if isinstance(self._game, BoardGame) else ()
        for action in (*sorted(self._actions - {*actions}, key=repr)[:10], *beside):
            self._require_refused(state, action)
        self._actions |= {*actions}
        if actions:
            self._require_player(state, player, actions)
        if isinstance(self._game, BoardGame) and isinstance(state, BoardState):
            cells = self._game.action_cells
            free = [n for n in range(len(cells)) if cells[n] & ~state.mask and not state.won]
            _require(
                actions == free,
                f"{question} is {actions}, but in a BoardGame {free}: the actions with a free cell "
                f"among their action_cells{OTHERWISE}",
            )
        return actions

    def played(self, state: Hashable, action: Hashable) -> Hashable:
        """The state after an action, checked with its reward."""
        before = hash(state), repr(state)
        after: Hashable = self._same_twice(
            f"get_next_state({state}, {action})", lambda: self._game.get_next_state(state, action)
        )
        reward = self._same_twice(
            f"reward({state}, {action})", lambda: self._game.reward(state, action)
        )
        _require(
            (hash(state), repr(state)) == before,
            f"{action} has changed the state {before[1]}: return a new state",
        )
        place = f"reward({state}, {action}) is {reward!r}"
        _require(is_number(reward) and isfinite(reward), f"{place}: return a finite number")
        _require(-1 <= reward <= 1, f"{place}: scale rewards to [-1, 1]")
        if isinstance(self._game, BoardGame) and isinstance(after, BoardState):
            self._require_stone(state, action, after)
            line = has_line(after.mask ^ after.mover, self._game.line_steps)
            _require(
                (after.won, reward) == (line, (2 * after.player - 3) * line),
                f"{place} and won is {after.won} {'with' if line else 'without'} a line: in a "
                f"BoardGame the first line wins{OTHERWISE}",
            )
        goes_on = bool(self._game.get_available_actions(after))
        _require(not (reward and goes_on), f"{place}, but the game goes on: reward only its end")
        return after

    def _require_stone(self, state: Any, action: Any, after: BoardState) -> None:
        free = self._game.action_cells[action] & ~state.mask
        stone = free & -free
        _require(
            after[:3] == (state.mask ^ state.mover, state.mask | stone, 3 - state.player),
            f"get_next_state({state}, {action}) is {after}: in a BoardGame an action puts a stone "
            f"into the lowest free one of its action_cells, and the players take turns{OTHERWISE}",
        )

    def _require_player(self, state: Hashable, player: object, actions: Sequence[Hashable]) -> None:
        _assert(require_player, self._game, state, player)
        if player != CHANCE:
            return
        probabilities = self._game.chance_probabilities(state)
        _require(
            {*probabilities} == {*actions},
            f"chance_probabilities({state}) has other keys than the actions {list(actions)}",
        )
        _assert(require_distribution, f"chance in {state}", probabilities.values())

    def _require_refused(self, state: Hashable, action: Hashable) -> None:
        for name in ("get_next_state", "reward"):
            try:
                getattr(self._game, name)(state, action)
            except ValueError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"{name}({state}, {action}) raises {error!r} instead of ValueError"
                ) from error
            raise AssertionError(f"{name}({state}, {action}) accepts an illegal action")

    @staticmethod
    def _same_twice(question: str, ask: Callable[[], Any]) -> Any:
        """The result of `ask`, which must be hashable and the same when called again."""
        first, second = ask(), ask()
        try:
            is_same = hash(first) == hash(second) and first == second
        except TypeError as error:
            raise AssertionError(f"{question} is {first!r}, which cannot be hashed") from error
        _require(is_same, f"{question} is {first!r}, and {second!r} when called again")
        return first


def _require_columns(game: BoardGame) -> None:
    """Check `action_cells`, from which kernels and networks derive where stones go."""
    together = 0
    for action, cells in enumerate(game.action_cells):
        run = cells // (cells & -cells) if cells else 0
        _require(
            run > 0 and run & (run + 1) == 0 and not together & cells,
            f"action_cells[{action}] is {cells:#b}: in a BoardGame the cells of an action stand on "
            f"each other in one column, and no other action fills them{OTHERWISE}",
        )
        together |= cells
    images = {mirrored(game.rows, game.columns, cells) for cells in game.action_cells}
    _require(
        images == {*game.action_cells},
        f"the action_cells must be their own mirror images in a BoardGame{OTHERWISE}",
    )


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def _assert(require: Callable[..., None], *arguments: object) -> None:
    """Call a check of `envs.protocol`, and raise its ValueError as an AssertionError."""
    try:
        require(*arguments)
    except ValueError as error:
        raise AssertionError(str(error)) from error
