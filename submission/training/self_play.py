"""Where a learner learns: its environment, and what happens between two updates."""

from collections.abc import Callable
from time import monotonic

from stable_baselines3.common.callbacks import BaseCallback
from threadpoolctl import threadpool_limits

from agents.trained.policy_file import TrainedPolicy, policy_scope
from envs.board import BoardGame
from envs.learning.sb3_vec_env import SB3VecEnv
from envs.learning.vector_env import BoardGameVectorEnv, ConnectXVectorEnv, TicTacToeVectorEnv
from envs.tic_tac_toe import TicTacToe
from submission.training.checkpoint import TrainingState
from submission.training.learner import make_learner, numpy_network
from submission.training.opponent_pool import OpponentPool
from submission.training.settings import Budget, TrainingSettings
from submission.training.trial import Trial, play_seat

TRIAL_SPACING = 1.2
"""A trial comes when there are so many times the steps that there were at the last one."""
SAME_STEP = "SameStep"
"""Gymnasium's name of the way in which Stable-Baselines3 wants games to begin anew."""
MOST_STEPS = 2**62
"""More than any training takes: its budget ends it."""


class SelfPlay(BaseCallback):
    """A policy in training against its past selves and random actions.

    Args:
        game: what is learnt.
        settings: how.
        budget: when to stop.
        on_trial: called after each trial.
        on_step: told after each step of all games what share of the budget has been used.
    """

    def __init__(
        self,
        game: BoardGame,
        settings: TrainingSettings,
        budget: Budget,
        on_trial: Callable[["SelfPlay"], None],
        on_step: Callable[[float], None],
    ) -> None:
        super().__init__()
        self._game = game
        self._settings = settings
        self._budget = budget
        self._tell_trial = on_trial
        self._tell_share = on_step
        self._begun = monotonic()
        self._updates = 0
        self._trials: list[Trial] = []
        self._scope = policy_scope(game)
        self._pool = OpponentPool(
            settings.games,
            self._scope.actions,
            settings.random_share,
            settings.past_selves,
            settings.seed,
        )
        environment = SB3VecEnv(_vector_env(game, settings.games, self._pool))
        environment.seed(settings.seed)
        self._learner = make_learner(environment, settings, self._learning_rate)

    @property
    def policy(self) -> TrainedPolicy:
        """What has been learnt so far."""
        return TrainedPolicy(self._scope, numpy_network(self._learner))

    @property
    def state(self) -> TrainingState:
        """What it takes to go on from here."""
        return TrainingState(
            self.num_timesteps,
            self._seconds,
            list(self._trials),
            list(self._pool.past_selves),
            self._learner.get_parameters(),
        )

    def go_on_from(self, state: TrainingState) -> None:
        """Take up an earlier training."""
        self.num_timesteps = self._learner.num_timesteps = state.steps
        self._begun = monotonic() - state.seconds
        self._trials = list(state.trials)
        self._pool.past_selves = list(state.past_selves)
        self._learner.set_parameters(dict(state.parameters))

    def learn(self) -> None:
        """Learn until the budget is spent."""
        if self._share < 1.0:
            with threadpool_limits(1):  # matrices of this size are not worth sharing out
                self._learner.learn(MOST_STEPS, callback=self, reset_num_timesteps=False)

    def hold_trial(self) -> None:
        """Find out how well the policy plays; the last of the state's trials says it."""
        games = self._settings.trial_games
        policy = self.policy
        first, second = (play_seat(policy, self._game, seat, games) for seat in (1, 2))
        trial = Trial(self.num_timesteps, self._seconds, first, second)
        self._trials.append(trial)
        self._tell_trial(self)

    def _on_rollout_start(self) -> None:
        """Before each update's games."""
        if self._updates % self._settings.updates_per_past_self == 0:
            self._pool.add(numpy_network(self._learner))
        self._updates += 1
        self._pool.draw_opponents()
        if not self._trials or self.num_timesteps >= TRIAL_SPACING * self._trials[-1].steps:
            self.hold_trial()

    def _on_step(self) -> bool:
        """After each step of all games; whether to go on."""
        self._tell_share(self._share)
        return self._share < 1.0

    @property
    def _seconds(self) -> float:
        return monotonic() - self._begun

    @property
    def _share(self) -> float:
        """How much of the budget has been used, in [0, 1]."""
        return self._budget.share(self._seconds, self.num_timesteps)

    def _learning_rate(self, _: float) -> float:
        """It falls to 0 in the course of the budget, and is taken anew for each update."""
        return self._settings.learning_rate * (1 - self._share)


def _vector_env(game: BoardGame, games: int, pool: OpponentPool) -> BoardGameVectorEnv:
    """Games of the learner against the pool, in which it has either seat."""
    if isinstance(game, TicTacToe):
        return TicTacToeVectorEnv(games, opponent=pool, autoreset_mode=SAME_STEP)
    return ConnectXVectorEnv(
        games,
        rows=game.rows,
        columns=game.columns,
        inarow=game.inarow,
        opponent=pool,
        autoreset_mode=SAME_STEP,
    )
