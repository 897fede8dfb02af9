"""What a training leaves on disk: the policy, its checkpoint, the curve of its trials."""

from pathlib import Path

from agents.trained.policy_file import TrainedPolicy, encode_policy, policy_scope
from envs.board import BoardGame
from submission.output_file import replace_content
from submission.training.checkpoint import TrainingCheckpoint, TrainingState
from submission.training.curve import curve_png
from submission.training.settings import TrainingSettings


class TrainingFiles:
    """The files of one training, side by side.

    Args:
        policy: where to write what `PolicyAgent` plays; the others have its name with other
            endings.
        game: what is learnt.
        settings: how.

    Raises:
        ValueError: the policy's name does not end in .npz.
    """

    def __init__(self, policy: Path, game: BoardGame, settings: TrainingSettings) -> None:
        if policy.suffix != ".npz":
            raise ValueError(f"a policy's file ends in .npz, unlike {policy}: rename it")
        self.policy = policy
        self.curve = policy.with_suffix(".png")
        self.checkpoint = TrainingCheckpoint(
            policy.with_suffix(".checkpoint"), policy_scope(game), settings
        )

    def keep(self, policy: TrainedPolicy, state: TrainingState) -> None:
        """Write all of them; each stays as it was until the new one is complete.

        Raises:
            OSError: one cannot be written.
        """
        replace_content(self.policy, encode_policy(policy))
        self.checkpoint.write(state)
        replace_content(self.curve, curve_png(state.trials))
