"""From a game to a trained policy."""

from dataclasses import dataclass

from agents.policy.self_play import SelfPlay
from agents.policy.training_files import TrainingFiles, TrainingState
from agents.policy.training_settings import Budget, TrainingSettings
from agents.policy.trials import Trial
from agents.search import OnProgress
from envs.board import BoardGame


def train_policy(
    game: BoardGame,
    settings: TrainingSettings,
    budget: Budget,
    files: TrainingFiles,
    earlier: TrainingState | None,
    on_progress: OnProgress,
) -> "TrainingOutcome":
    """Train a policy until the budget is spent, or until Ctrl-C.

    Args:
        game: the game to learn.
        settings: sizes and rates.
        budget: the end of the training, counted from the beginning of an earlier one.
        files: kept after each trial and at the end.
        earlier: the training to go on from.
        on_progress: takes the used part of the budget, in per cent.

    Raises:
        OSError: the files cannot be written.
    """
    training = SelfPlay(
        game,
        settings,
        budget,
        on_trial=lambda training: files.keep(training.policy, training.state),
        on_step=lambda share: on_progress(round(100 * share), 100, ""),
    )
    if earlier is not None:
        training.go_on_from(earlier)
    interrupted = False
    try:
        training.learn()
    except KeyboardInterrupt:
        interrupted = True
    training.hold_trial()
    return TrainingOutcome(training.state.trials[-1], interrupted)


@dataclass(frozen=True)
class TrainingOutcome:
    """The end of a training."""

    last_trial: Trial
    """Of the policy that was kept."""
    interrupted: bool
    """Whether Ctrl-C ended it before its budget was spent."""
