"""Observations with the mask inside, and the libraries that take them so."""

import warnings
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from envs import GYMNASIUM_IDS, TicTacToe
from envs.learning.observations import DictObservation, RLlibObservation, TianshouObservation

FORMS = [DictObservation, RLlibObservation, TianshouObservation]

every_id = pytest.mark.parametrize("env_id", GYMNASIUM_IDS)
every_form = pytest.mark.parametrize("form", FORMS)


class TestDictObservations:
    @every_id
    @every_form
    @pytest.mark.parametrize("observation", ["planes", "flat"])
    def test_the_board_and_the_mask_are_those_of_the_environment(
        self, env_id: str, form: type[DictObservation], observation: str
    ) -> None:
        plain, wrapped = (gymnasium.make(env_id, observation=observation) for _ in range(2))
        wrapped = form(wrapped)
        with warnings.catch_warnings():
            # It advises to check what is wrapped instead, which is done elsewhere.
            warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
            check_env(wrapped, skip_render_check=True)
        board, info = plain.reset(seed=5)
        both, _ = wrapped.reset(seed=5)
        ended = False
        while not ended:
            assert wrapped.observation_space.contains(both)
            assert set(both) == {form.observation_key, form.mask_key}
            assert both[form.observation_key].ravel().tolist() == board.ravel().tolist()
            assert both[form.mask_key].tolist() == info["action_mask"].tolist()
            assert (both[form.mask_key].dtype == bool) == (form is TianshouObservation)
            action = int(np.flatnonzero(both[form.mask_key])[0])
            board, reward, ended, _, info = plain.step(action)
            both, *results = wrapped.step(action)
            assert results[:3] == [reward, ended, False]
        assert not both[form.mask_key].any()

    @every_form
    def test_an_environment_without_masks_is_refused(self, form: type[DictObservation]) -> None:
        with pytest.raises(ValueError, match=r"no info\['action_mask'\]"):
            form(gymnasium.make("CartPole-v1")).reset()
        with pytest.raises(ValueError, match="boards must be a Box and actions Discrete"):
            form(gymnasium.make("Pendulum-v1"))

    @every_form
    def test_a_specification_makes_it_again(self, form: type[DictObservation]) -> None:
        wrapped = form(gymnasium.make(GYMNASIUM_IDS[0]))
        assert wrapped.spec is not None
        again = gymnasium.make(EnvSpec.from_json(wrapped.spec.to_json()))
        assert str(again) == str(wrapped)
        assert again.observation_space == wrapped.observation_space

    @every_form
    def test_the_mask_in_the_observation_is_an_array_of_its_own(
        self, form: type[DictObservation]
    ) -> None:
        observation, info = form(gymnasium.make(GYMNASIUM_IDS[0])).reset()
        observation[form.mask_key][:] = 0
        assert info["action_mask"].all()


class TestTorchRL:
    @every_id
    def test_it_makes_one_by_its_id(self, env_id: str) -> None:
        """It gives options that an environment may lack, and takes them back by the error."""
        torchrl = pytest.importorskip("torchrl.envs")
        made = torchrl.GymEnv(f"envs:{env_id}", opponent=None)
        assert made.rollout(3)["next", "reward"].shape[1:] == (1,)

    @every_id
    def test_its_masks_allow_what_is_legal(self, env_id: str) -> None:
        torchrl = pytest.importorskip("torchrl.envs")
        made = gymnasium.make(env_id, opponent=None, illegal="raise")
        environment = torchrl.TransformedEnv(
            torchrl.GymWrapper(DictObservation(made)), torchrl.ActionMask()
        )
        played = environment.rollout(200, break_when_any_done=False)
        rewards = played["next", "reward"]
        assert set(rewards.unique().tolist()) <= {0.0, 1.0}
        assert rewards.sum() > 3

    @pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
    def test_it_steps_many_games_at_once(self, mode: str) -> None:
        """As many games end as have a reward: an illegal action loses, and few are drawn."""
        torchrl = pytest.importorskip("torchrl.envs")
        made = gymnasium.make_vec("connectx/TicTacToe-v0", num_envs=8, autoreset_mode=mode)
        environment = torchrl.GymWrapper(made)
        assert environment.batch_size == (8,)
        played = environment.rollout(50, break_when_any_done=False)["next"]
        assert played["observation"].shape == (8, 50, 2, 3, 3)
        assert 50 < (played["reward"] != 0).sum() <= played["terminated"].sum()

    def test_its_two_agents_take_turns(self) -> None:
        torchrl = pytest.importorskip("torchrl.envs")
        pettingzoo_env = pytest.importorskip("envs.learning.pettingzoo_env")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PettingZoo in TorchRL is tested")
            environment = torchrl.PettingZooWrapper(
                pettingzoo_env.env(TicTacToe(), illegal="raise"), use_mask=True
            )
        played = environment.rollout(100, break_when_any_done=False)
        turns = played["player_1", "mask"].long().sum(), played["player_2", "mask"].long().sum()
        assert turns[0] + turns[1] == 100
        assert turns[0] > turns[1] > 30


class TestTianshou:
    def test_its_q_learning_heeds_the_mask(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("numba")
        with monkeypatch.context() as patch:
            patch.setattr("numba.config.DISABLE_JIT", True)  # Tianshou's kernels compile slowly
            pytest.importorskip("tianshou")
            from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
            from tianshou.algorithm.optim import AdamOptimizerFactory
            from tianshou.data import Collector, VectorReplayBuffer
            from tianshou.env import DummyVectorEnv
            from tianshou.utils.net.common import Net

        make = partial(gymnasium.make, GYMNASIUM_IDS[0], observation="flat", illegal="raise")
        environments = DummyVectorEnv([lambda: TianshouObservation(make())] * 3)
        policy = DiscreteQLearningPolicy(
            model=Net(state_shape=(42,), action_shape=7, hidden_sizes=[16]),
            action_space=gymnasium.spaces.Discrete(7),
            eps_inference=0.5,
        )
        learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))
        buffer = VectorReplayBuffer(1000, 3)
        collector = Collector(learner, environments, buffer, exploration_noise=True)
        collector.reset()
        stats = collector.collect(n_step=300)
        assert stats.n_collected_episodes > 10
        indices = buffer.sample_indices(0)  # which means all
        assert len(indices) == 300
        assert buffer.obs.mask[indices, buffer.act[indices]].all()

    def test_it_plays_the_pettingzoo_game(self) -> None:
        pytest.importorskip("tianshou")
        pettingzoo_env = pytest.importorskip("envs.learning.pettingzoo_env")
        from tianshou.env import PettingZooEnv

        environment = PettingZooEnv(pettingzoo_env.env(illegal="raise"))
        observation, _ = environment.reset()
        ended = False
        while not ended:
            action = int(np.flatnonzero(observation["mask"])[0])
            observation, rewards, ended, _, _ = environment.step(action)
        assert rewards == [1.0, -1.0]


class TestRLlib:
    def test_its_ppo_learns_with_the_mask(self) -> None:
        pytest.importorskip("ray.rllib")
        import ray
        from ray.rllib.algorithms.ppo import PPOConfig
        from ray.rllib.core.rl_module.rl_module import RLModuleSpec
        from ray.rllib.examples.rl_modules.classes.action_masking_rlm import (
            ActionMaskingTorchRLModule,
        )
        from ray.tune.registry import register_env

        ray.init(num_cpus=1, include_dashboard=False)
        make = partial(gymnasium.make, GYMNASIUM_IDS[0], illegal="raise")
        register_env("masked", lambda config: RLlibObservation(make()))
        module = RLModuleSpec(
            module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [16]}
        )
        learner = (
            PPOConfig()
            .environment("masked")
            .env_runners(num_env_runners=0)
            .training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
            .rl_module(rl_module_spec=module)
            .build_algo()
        )
        assert learner.train()["env_runners"]["num_episodes"] > 5
        learner.stop()
        ray.shutdown()
