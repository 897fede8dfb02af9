"""Watching the single environment: its render modes, Gymnasium's window, videos and keyboard."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import HumanRendering, RecordVideo

from envs import ConnectFour, board_svg, state_from_moves
from envs.render import board_ansi, board_rgb

CONNECT_FOUR = "connectx/ConnectFour-v0"
CONNECT_X = "connectx/ConnectX-v0"
TIC_TAC_TOE = "connectx/TicTacToe-v0"
WON = "1213141"


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")


def won_game(render_mode: str) -> Any:
    env = gymnasium.make(CONNECT_FOUR, opponent=None, render_mode=render_mode)
    env.reset(options={"moves": WON[:-1]})
    env.step(int(WON[-1]) - 1)
    return env.render()


def test_each_mode_draws_the_final_board_with_its_line() -> None:
    game = ConnectFour()
    state = state_from_moves(game, WON)
    assert won_game("ansi") == board_ansi(game, state)
    assert won_game("svg") == board_svg(game, state)
    assert (won_game("rgb_array") == board_rgb(game, state)).all()
    assert board_svg(game, state).count("stroke=") == 4


def test_without_a_mode_nothing_is_drawn_and_it_says_so() -> None:
    env = gymnasium.make(TIC_TAC_TOE, disable_env_checker=True)
    env.reset()
    with pytest.warns(UserWarning, match="make the environment with a render_mode"):
        assert env.render() is None


@pytest.mark.usefixtures("no_display")
def test_gymnasiums_own_window_shows_it() -> None:
    pygame = pytest.importorskip("pygame")
    with pytest.warns(UserWarning, match="HumanRendering wrapper is being applied"):
        env: Any = gymnasium.make(CONNECT_FOUR, opponent=None, render_mode="human")
    env.reset()
    env.step(3)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert (shown == board_rgb(ConnectFour(), state_from_moves(ConnectFour(), "4"))).all()
    env.close()
    assert isinstance(env, HumanRendering)


def test_videos_are_recorded(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    folder = tmp_path / "videos"
    env: Any = RecordVideo(
        gymnasium.make(CONNECT_X, rows=5, columns=5, opponent=None, render_mode="rgb_array"),
        str(folder),
        episode_trigger=lambda episode: episode == 1,
        disable_logger=True,
    )
    for _ in range(2):
        env.reset(options={"moves": "121212"})
        env.step(0)
    env.close()
    videos = [path for path in folder.iterdir() if path.suffix == ".mp4"]
    assert [path.name for path in videos] == ["rl-video-episode-1.mp4"]
    assert videos[0].stat().st_size > 1000


@pytest.mark.usefixtures("no_display")
@pytest.mark.filterwarnings("ignore:.*matplotlib:UserWarning")
def test_a_person_plays_it_by_keyboard() -> None:
    pygame = pytest.importorskip("pygame")
    from gymnasium.utils.play import play

    keys = iter(WON)
    played: list[tuple[int, float, bool]] = []

    def press_next() -> None:
        key = next(keys, None)
        if key is None:
            pygame.event.post(pygame.event.Event(pygame.QUIT))
        else:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=ord(key)))

    def after_step(before: Any, after: Any, action: int, reward: Any, done: bool, *_: Any) -> None:
        played.append((action, reward, done))
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=ord(str(action + 1))))
        press_next()

    pygame.init()
    press_next()
    env = gymnasium.make(CONNECT_FOUR, opponent=None, render_mode="rgb_array")
    play(env, callback=after_step, wait_on_player=True, fps=1000)
    assert [action for action, _, _ in played] == [int(key) - 1 for key in WON]
    assert played[-1][1:] == (1.0, True)
    assert not any(reward or done for _, reward, done in played[:-1])


def test_keys_are_the_first_nine_actions() -> None:
    env = gymnasium.make(CONNECT_X, columns=12, opponent=None)
    keys = env.get_wrapper_attr("get_keys_to_action")()
    assert keys == {(ord(str(number)),): number - 1 for number in range(1, 10)}
    assert len(gymnasium.make(CONNECT_FOUR).get_wrapper_attr("get_keys_to_action")()) == 7


def test_pictures_of_even_size_suit_video_codecs() -> None:
    env = gymnasium.make(CONNECT_X, rows=3, columns=5, opponent=None, render_mode="rgb_array")
    env.reset()
    frame: Any = env.render()
    assert frame.dtype == np.uint8
    assert all(side % 2 == 0 for side in frame.shape[:2])
