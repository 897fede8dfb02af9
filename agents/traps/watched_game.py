"""The game that goes on, as a player watches it."""

from typing import Any

from envs.protocol import Env


class WatchedGame:
    """The opponent's moves in the present game, as far as they are known."""

    def __init__(self) -> None:
        self.replies: list[tuple[Any, Any]] = []
        """Positions in which the opponent was to move, and what it played there."""
        self._env: object = None
        self._left: Any = None

    def see(self, env: Env[Any, Any], state: Any) -> None:
        """Tell the opponent's reply from the position that it has led to; else a game begins."""
        if self._env != env:
            self._env, self._left, self.replies = env, None, []
        left = self._left
        if left is not None:
            for action in env.get_available_actions(left):
                if env.get_next_state(left, action) == state:
                    self.replies.append((left, action))
                    self._left = None
                    return
        if not (self.replies and env.get_next_state(*self.replies[-1]) == state):
            self.replies = []

    def play(self, env: Env[Any, Any], state: Any, action: Any) -> None:
        """Note the move that is played."""
        self._left = env.get_next_state(state, action)
