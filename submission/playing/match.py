"""A match as a value: the plies played so far, and what can be told from them."""

from dataclasses import dataclass, replace
from functools import cached_property, reduce

from envs.board import BoardGame, BoardState


@dataclass(frozen=True)
class Match:
    """The plies of a game.

    Args:
        env: the rules.
        actions: every ply from the initial state on.
        opening: how many of them were given before the match began; those are never taken back.
    """

    env: BoardGame
    actions: tuple[int, ...]
    opening: int = 0

    @cached_property
    def state(self) -> BoardState:
        """The position."""
        return self.state_after(len(self.actions))

    @property
    def is_over(self) -> bool:
        """Whether nobody can move any more."""
        return not self.env.get_available_actions(self.state)

    def state_after(self, plies: int) -> BoardState:
        """The position after so many of the plies."""
        return reduce(self.env.get_next_state, self.actions[:plies], self.env.initial_state())

    def after(self, action: int) -> "Match":
        """The match one ply later.

        Raises:
            ValueError: the action is illegal.
        """
        self.env.get_next_state(self.state, action)
        return replace(self, actions=(*self.actions, action))

    def before_last_turn_of(self, player: int) -> "Match":
        """The match without the last ply of `player` and what followed it.

        Raises:
            ValueError: the player has not moved in this match.
        """
        turns = range(self.opening, len(self.actions))
        own = [ply for ply in turns if self.state_after(ply).player == player]
        if not own:
            raise ValueError("there is no move of yours to take back")
        return replace(self, actions=self.actions[: own[-1]])
