"""The vector environment as Stable-Baselines3 takes it, and MaskablePPO on all environments."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics

pytest.importorskip("stable_baselines3")

from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from envs import GYMNASIUM_IDS
from envs.learning.sb3_vec_env import SB3VecEnv

FIRST = GYMNASIUM_IDS[0]

every_id = pytest.mark.parametrize("env_id", GYMNASIUM_IDS)


def native(env_id: str, count: int, **options: Any) -> VectorEnv[Any, Any, Any]:
    mode = {"autoreset_mode": AutoresetMode.SAME_STEP, "vectorization_mode": "vector_entry_point"}
    return gymnasium.make_vec(env_id, num_envs=count, **{**mode, **options})


def one_by_one(env_id: str, count: int, **options: Any) -> VectorEnv[Any, Any, Any]:
    make = partial(gymnasium.make, env_id, **options)
    return SyncVectorEnv([make] * count, autoreset_mode=AutoresetMode.SAME_STEP)


def masks_of(vec_env: Any, indices: Sequence[int] | None = None) -> list[list[int]]:
    return [mask.tolist() for mask in vec_env.env_method("action_masks", indices=indices)]


class TestMaskablePPO:
    @pytest.fixture(autouse=True)
    def folder_of_logs(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """Else each learner leaves a folder with the system's temporary files."""
        monkeypatch.setenv("SB3_LOGDIR", str(tmp_path))

    @every_id
    def test_it_learns_from_a_single_environment(self, env_id: str) -> None:
        learner = self.learner(gymnasium.make(env_id, illegal="raise"), n_steps=128)
        learner.learn(256)
        assert learner.num_timesteps == 256

    @every_id
    def test_it_learns_from_a_vector_environment(self, env_id: str) -> None:
        environments = VecMonitor(SB3VecEnv(native(env_id, 8, illegal="raise")))
        learner = self.learner(environments, n_steps=32)
        learner.learn(512)
        returns = {float(episode["r"]) for episode in learner.ep_info_buffer}
        assert len(learner.ep_info_buffer) > 20
        assert returns <= {1.0, 0.0, -1.0}
        assert {1.0, -1.0} <= returns

    def learner(self, environment: Any, n_steps: int) -> Any:
        contrib = pytest.importorskip("sb3_contrib")
        return contrib.MaskablePPO(
            "MlpPolicy", environment, n_steps=n_steps, n_epochs=1, batch_size=128, device="cpu"
        )


class TestSB3VecEnv:
    """Beside Stable-Baselines3's own way of running several environments."""

    @every_id
    @pytest.mark.parametrize("vectorize", [native, one_by_one])
    @pytest.mark.parametrize(
        "options",
        [{}, {"opponent": None, "observation": "flat"}, {"opponent": ["random", "greedy"]}],
        ids=str,
    )
    def test_it_goes_as_dummy_vec_env(
        self, env_id: str, vectorize: Any, options: dict[str, Any]
    ) -> None:
        expected = DummyVecEnv([partial(gymnasium.make, env_id, **options)] * 5)
        self.compare(SB3VecEnv(vectorize(env_id, 5, **options)), expected, steps=100)

    def test_a_time_limit_is_told_apart(self) -> None:
        def make() -> gymnasium.Env[Any, Any]:
            return TimeLimit(gymnasium.make(FIRST), max_episode_steps=5)

        limited = SyncVectorEnv([make] * 5, autoreset_mode=AutoresetMode.SAME_STEP)
        reasons = self.compare(SB3VecEnv(limited), DummyVecEnv([make] * 5), steps=60)
        assert {*reasons} == {True, False}

    def test_the_statistics_of_a_wrapper_are_kept(self) -> None:
        """As Stable-Baselines3's own wrapper counts; before Gymnasium 1.4 the lengths differ."""
        expected = VecMonitor(SB3VecEnv(native(FIRST, 5, opponent="greedy")))
        counted = SB3VecEnv(RecordEpisodeStatistics(native(FIRST, 5, opponent="greedy")))
        for each in (expected, counted):
            each.seed(11)
            each.reset()
        episodes = 0
        for _ in range(30):
            actions = np.array(masks_of(counted)).argmax(axis=1)
            for info, wanted in zip(
                counted.step(actions)[3], expected.step(actions)[3], strict=True
            ):
                assert info.keys() == wanted.keys()
                if wanted:
                    assert info["episode"]["r"] == wanted["episode"]["r"]
                    episodes += 1
        assert episodes > 10

    def compare(self, ours: Any, expected: Any, steps: int) -> list[bool]:
        ours.seed(11)
        expected.seed(11)
        np.testing.assert_array_equal(ours.reset(), expected.reset())
        rng = np.random.default_rng(11)
        reasons = []
        for _ in range(steps):
            assert masks_of(ours) == masks_of(expected)
            # Illegal actions, too, now and then.
            legal = [rng.choice(np.flatnonzero(mask)) for mask in masks_of(ours)]
            any_action = rng.integers(ours.action_space.n, size=ours.num_envs)
            actions = np.where(rng.random(ours.num_envs) < 0.9, legal, any_action)
            *results, infos = ours.step(actions)
            *expected_results, expected_infos = expected.step(actions)
            for result, wanted in zip(results, expected_results, strict=True):
                np.testing.assert_array_equal(result, wanted)
                assert result.dtype == wanted.dtype
            for index in np.flatnonzero(results[2]):
                assert infos[index].keys() == expected_infos[index].keys()
                for key, wanted in expected_infos[index].items():
                    np.testing.assert_array_equal(infos[index][key], wanted)
                reasons.append(infos[index]["TimeLimit.truncated"])
        assert len(reasons) > 10
        return reasons

    def test_unseeded_resets_go_on(self) -> None:
        vec_env = SB3VecEnv(native(FIRST, 64, seat="second"))
        vec_env.seed(3)
        first, second = vec_env.reset(), vec_env.reset()
        vec_env.seed(3)
        np.testing.assert_array_equal(vec_env.reset(), first)
        assert (first != second).any()

    def test_options_reach_every_sub_environment_and_are_the_same_for_all(self) -> None:
        vec_env = SB3VecEnv(native(FIRST, 4, opponent=None))
        vec_env.set_options({"moves": "111111"})
        assert vec_env.reset().sum(axis=(1, 2, 3)).tolist() == [6] * 4
        assert masks_of(vec_env, [1, 3]) == [[0, 1, 1, 1, 1, 1, 1]] * 2
        assert vec_env.reset().sum() == 0
        vec_env.set_options([{"moves": str(number)} for number in (1, 2, 3, 4)])
        with pytest.raises(ValueError, match="sub-environments must start with the same options"):
            vec_env.reset()

    @pytest.mark.parametrize("options", [{"moves": "8"}, [{"moves": "1"}, {"moves": "2"}]])
    def test_refused_options_are_gone_and_the_seed_is_kept(self, options: Any) -> None:
        vec_env, expected = (SB3VecEnv(native(FIRST, 2, seat="second")) for _ in "12")
        vec_env.seed(3)
        vec_env.set_options(options)
        with pytest.raises(ValueError, match=r"move 1 of '8' is 8|start with the same options"):
            vec_env.reset()
        expected.seed(3)
        for _ in range(5):
            np.testing.assert_array_equal(vec_env.reset(), expected.reset())

    @pytest.mark.parametrize(
        ("environments", "sentence"),
        [
            (partial(native, FIRST, 2, render_mode="ansi"), "render_mode='rgb_array'"),
            (partial(native, FIRST, 2, autoreset_mode="NextStep"), "=AutoresetMode.SAME_STEP"),
            (partial(native, FIRST, 2, autoreset_mode="Disabled"), "=AutoresetMode.SAME_STEP"),
            (partial(gymnasium.make, FIRST), r"no vector .* gymnasium\.make_vec makes with auto"),
            (lambda: FIRST, "'connectx/.*-v0' is no vector environment: give one that gymnasium"),
            (
                partial(one_by_one, "CartPole-v1", 2),
                r"have no 'action_mask', .*: add it to them, or use",
            ),
        ],
    )
    def test_others_are_refused(self, environments: Any, sentence: str) -> None:
        with pytest.raises(ValueError, match=sentence):
            SB3VecEnv(environments()).reset()

    def test_attributes(self) -> None:
        vec_env = SB3VecEnv(native(FIRST, 2))
        vec_env.set_attr("note", "kept")
        assert vec_env.get_attr("note") == ["kept", "kept"]
        assert vec_env.get_attr("num_envs", indices=0) == [2]
        assert vec_env.env_is_wrapped(gymnasium.Wrapper) == [False] * 2
        assert not vec_env.has_attr("missing")
        with pytest.raises(ValueError, match="without indices"):
            vec_env.set_attr("note", "lost", indices=[0])
        with pytest.raises(
            AttributeError, match=r"no method 'close', only 'action_masks', .*vector_env\.unw"
        ):
            vec_env.env_method("close")
        with pytest.raises(ValueError, match="call reset"):
            vec_env.env_method("action_masks")
        vec_env.close()
