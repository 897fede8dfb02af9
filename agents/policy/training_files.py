"""The files of a training: the policy, the curve, and a checkpoint from which it can go on.

The checkpoint is a zip archive: `training.json` says what is trained and how far it has come,
`learner.pt` holds PyTorch's tensors, and `past_self_000.npz` and so on the opponents, as policies.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import torch

from agents.output_file import replace_content
from agents.policy.network import (
    PolicyNetwork,
    PolicyScope,
    TrainedPolicy,
    decode_policy,
    encode_policy,
    policy_scope,
)
from agents.policy.training_settings import TrainingSettings
from agents.policy.trials import SeatRecord, Trial, curve_png
from envs.board import BoardGame

PROGRESS = "training.json"
LEARNER = "learner.pt"


class TrainingFiles:
    """The files of one training, side by side.

    Args:
        policy: the file for `PolicyAgent`; the others have its name with other endings.
        game: the game to learn.
        settings: sizes and rates.

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

    def keep(self, policy: TrainedPolicy, state: "TrainingState") -> None:
        """Write all of them; each stays as it was until the new one is complete.

        Raises:
            OSError: one cannot be written.
        """
        replace_content(self.policy, encode_policy(policy))
        self.checkpoint.write(state)
        replace_content(self.curve, curve_png(state.trials))


class TrainingCheckpoint(NamedTuple):
    """The file with the state of one training."""

    path: Path
    scope: PolicyScope
    settings: TrainingSettings

    def require_new(self) -> None:
        """See to it that no earlier training is there.

        Raises:
            FileExistsError: one is.
        """
        if self.path.exists():
            raise FileExistsError(
                f"{self.path} has an earlier training: go on from it with --resume, or delete it"
            )

    def write(self, state: "TrainingState") -> None:
        """Put the state in the place of an earlier one."""
        tensors = BytesIO()
        torch.save(state.parameters, tensors)
        progress = {
            **self._title,
            "steps": state.steps,
            "seconds": state.seconds,
            "trials": state.trials,
        }
        file = BytesIO()
        with ZipFile(file, "w") as archive:
            archive.writestr(PROGRESS, json.dumps(progress))
            archive.writestr(LEARNER, tensors.getvalue())
            for number, network in enumerate(state.past_selves):
                content = encode_policy(TrainedPolicy(self.scope, network))
                archive.writestr(f"past_self_{number:03}.npz", content)
        replace_content(self.path, file.getvalue())

    def read(self) -> "TrainingState":
        """The state that was written last.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no checkpoint, or one of another training.
        """
        if not self.path.exists():
            raise FileNotFoundError(
                f"there is no {self.path} to go on from: leave --resume out to begin"
            )
        try:
            with ZipFile(self.path) as archive:
                progress = json.loads(archive.read(PROGRESS))
                if {key: progress[key] for key in self._title} != self._title:
                    raise ValueError(
                        f"{self.path} has the training of another game, or one with another seed: "
                        "go on with the same options, or choose another --output"
                    )
                return TrainingState(
                    progress["steps"],
                    progress["seconds"],
                    [_trial(*fields) for fields in progress["trials"]],
                    _past_selves(archive),
                    torch.load(BytesIO(archive.read(LEARNER)), weights_only=True),
                )
        except (BadZipFile, KeyError, json.JSONDecodeError) as error:
            raise ValueError(
                f"{self.path} is no checkpoint of a training: choose another --output"
            ) from error

    @property
    def _title(self) -> dict[str, Any]:
        """The game and the settings, as JSON gives them back."""
        title: dict[str, Any] = json.loads(
            json.dumps({"scope": self.scope, "settings": asdict(self.settings)})
        )
        return title


class TrainingState(NamedTuple):
    """The progress of a training."""

    steps: int
    seconds: float
    trials: list[Trial]
    past_selves: list[PolicyNetwork]
    parameters: Mapping[str, Any]
    """The learner's, as Stable-Baselines3's `get_parameters` gives them."""


def _trial(steps: int, seconds: float, first: list[int], second: list[int]) -> Trial:
    return Trial(steps, seconds, SeatRecord(*first), SeatRecord(*second))


def _past_selves(archive: ZipFile) -> list[PolicyNetwork]:
    names = sorted(name for name in archive.namelist() if name.startswith("past_self_"))
    return [decode_policy(archive.read(name)).network for name in names]
