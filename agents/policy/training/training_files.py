"""The files of a training: the policy, a checkpoint to resume from, and the curves.

A checkpoint is a tree of numbers, arrays and tensors: JSON in which lists stay lists and any other
container, array or tensor is an object with one item that names its type. Arrays and tensors lie
beside the JSON in an .npz archive. It contains no pickle, so an untrusted file cannot run code.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple
from io import BytesIO
from itertools import pairwise
from math import inf
from operator import index
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from agents.networks.array_archive import ArrayArchive
from agents.networks.network import encode_policy, policy_scope
from agents.policy.training.learner import TrainingSettings
from agents.policy.training.solved_sample import Judgement
from agents.policy.training.training import PastSelf, Round, Training, Trial
from agents.reporting.input_file import read_content
from agents.reporting.output_file import replace_content
from agents.reporting.stats import Estimate
from envs.board import BoardGame

CHECKPOINT_FORMAT = 3
ADVICE = "choose another --output, or delete it to begin anew"


class TrainingFiles(NamedTuple):
    """The files of one training, side by side: all have the policy's name, with other endings."""

    policy: Path
    title: Mapping[str, Any]
    """The method, game and settings; a checkpoint of another title is refused."""

    @classmethod
    def of(
        cls, policy: Path, game: BoardGame, method: str, settings: TrainingSettings
    ) -> "TrainingFiles":
        """The files of a training; a ValueError if the policy's name does not end in .npz."""
        if policy.suffix != ".npz":
            raise ValueError(f"the name of a policy's file must end in .npz, not {policy}")
        numbers = {name: value for name, value in asdict(settings).items() if name != "positions"}
        return cls(policy, {"scope": list(policy_scope(game)), "method": method, **numbers})

    @property
    def checkpoint(self) -> Path:
        """The state at the end of the last round."""
        return self.policy.with_suffix(".checkpoint")

    @property
    def picture(self) -> Path:
        """The curves as a PNG."""
        return self.policy.with_suffix(".png")

    @property
    def logs(self) -> Path:
        """The folder of the curves for TensorBoard."""
        return self.policy.with_suffix(".tensorboard")

    def require(self, earlier: bool) -> None:
        """Check that there is an earlier training, or none, and that logs can be written.

        Raises FileNotFoundError or FileExistsError otherwise.
        """
        writable = self.logs.is_dir() and os.access(self.logs, os.W_OK)
        if os.path.lexists(self.logs) and not writable:
            raise FileExistsError(
                f"{self.logs} is not a folder that can be written, which TensorBoard's logs "
                "need: rename it, or choose another --output"
            )
        if earlier and not self.checkpoint.exists():
            raise FileNotFoundError(
                f"there is no {self.checkpoint} to go on from: leave --resume out to begin"
            )
        if not earlier and self.checkpoint.exists():
            raise FileExistsError(
                f"{self.checkpoint} has an earlier training: go on from it with --resume, or "
                "delete it"
            )

    def keep(self, training: Training) -> None:
        """Write the policy and the checkpoint, each as `replace_content` does."""
        trials = training.trials
        content = encode_state(
            {
                "format": CHECKPOINT_FORMAT,
                "title": dict(self.title),
                "seconds": training.seconds,
                "rounds": training.rounds,
                "trials": trials.held,
                "past_selves": trials.past_selves,
                "learner": training.learner.state(),
            }
        )
        replace_content(self.policy, encode_policy(training.learner.policy))
        replace_content(self.checkpoint, content)

    def restore(self, training: Training) -> None:
        """Restore a training from the checkpoint; ValueError if that is of another training."""
        kept = self._read()
        if kept["title"] != self.title:
            raise ValueError(
                f"{self.checkpoint} has the training of another game, or one with another method, "
                "seed, width, number of simulations or initial network: go on with the same "
                "options, or choose another --output"
            )
        try:
            training.rounds = [Round(*fields) for fields in kept["rounds"]]
            _require_course(training.rounds, kept["seconds"])
            training.begun = monotonic() - kept["seconds"]
            training.trials.held = [_trial(*fields) for fields in kept["trials"]]
            training.trials.past_selves = [PastSelf(*fields) for fields in kept["past_selves"]]
            training.learner.restore(kept["learner"])
        except Exception as error:  # a hostile file may raise anything
            raise self._unreadable() from error

    def _read(self) -> dict[str, Any]:
        self.require(earlier=True)
        try:
            kept: dict[str, Any] = decode_state(read_content(self.checkpoint, ADVICE))
            version, _ = index(kept["format"]), kept["title"]
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreadable() from error
        if version == CHECKPOINT_FORMAT:
            return kept
        raise ValueError(
            f"{self.checkpoint} was written by another version of this package (format {version}, "
            f"not {CHECKPOINT_FORMAT}): begin with its network (--weights {self.policy}), and "
            "choose another --output"
        )

    def _unreadable(self) -> ValueError:
        return ValueError(
            f"{self.checkpoint} is not a checkpoint of a training, or it is damaged: {ADVICE}"
        )


def _require_course(rounds: Sequence[Round], seconds: float) -> None:
    """Check that rounds follow each other within the seconds that were taken."""
    numbers = [done.number for done in rounds]
    times = [0.0, *(done.seconds for done in rounds), seconds]
    go_on = all(before <= after < inf for before, after in pairwise(times))
    if numbers != [*range(1, len(rounds) + 1)] or not go_on:
        raise ValueError(f"no training has the rounds {numbers} after {times} seconds")


Limits = tuple[float, ...]  # an estimate's value and the limits of its interval


def _trial(rounds: int, seconds: float, elo: Limits, shares: tuple[Limits, ...] | None) -> Trial:
    judged = None if shares is None else Judgement(*(Estimate(*share) for share in shares))
    return Trial(rounds, seconds, Estimate(*elo), judged)


TREE = "tree"  # the name of the JSON among the arrays; they are named by their numbers


def encode_state(state: Any) -> bytes:
    """Pack numbers, texts, None, bytes, numpy arrays and PyTorch tensors; else a TypeError.

    They may be in lists, tuples and dicts; an `Estimate` becomes a tuple.
    """
    arrays: dict[str, Any] = {}

    def add(array: Any) -> str:
        name = str(len(arrays))
        arrays[name] = array
        return name

    tree = json.dumps(_packed(state, add))
    file = BytesIO()
    arrays[TREE] = np.frombuffer(tree.encode(), np.uint8)
    np.savez(file, **arrays)
    return file.getvalue()


def decode_state(content: bytes) -> Any:
    """Unpack what `encode_state` has packed; a ValueError if it is something else, or damaged."""
    try:
        arrays = ArrayArchive(content, len(content))  # it is not compressed
        return _unpacked(json.loads(arrays[TREE].tobytes()), arrays.__getitem__)
    except Exception as error:  # a torn or hostile file may raise anything
        raise ValueError(f"damaged ({error})") from error


def _packed(value: Any, add: Callable[[Any], str]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Estimate):
        value = astuple(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": add(value)}
    if isinstance(value, bytes):
        return {"bytes": add(np.frombuffer(value, np.uint8))}
    if isinstance(value, list):
        return [_packed(item, add) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_packed(item, add) for item in value]}
    if isinstance(value, Mapping):
        return {"dict": [[_packed(key, add), _packed(item, add)] for key, item in value.items()]}
    if hasattr(value, "detach"):
        return {"tensor": add(value.detach().cpu().numpy())}
    raise TypeError(f"a {type(value).__name__} cannot be kept in a checkpoint")


def _unpacked(value: Any, array: Callable[[str], Any]) -> Any:
    match value:
        case list():
            return [_unpacked(item, array) for item in value]
        case {"tuple": items}:
            return tuple(_unpacked(items, array))
        case {"dict": items}:
            return dict(_unpacked(items, array))
        case {"array": name}:
            return array(name)
        case {"bytes": name}:
            return array(name).tobytes()
        case {"tensor": name}:
            from torch import from_numpy

            return from_numpy(array(name))
        case dict():
            raise ValueError(f"nothing is of the kind {', '.join(value)}")
    return value
