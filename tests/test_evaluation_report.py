from dataclasses import replace

from rich.console import Console

from submission.evaluating.evaluation import Ending, Evaluation
from submission.evaluating.evaluation_report import render_evaluation
from tests.game_records import DRAW, LOSS, OPPONENT_FAILED, PLAYER_FAILED, WIN, evaluation_of


def shown(evaluation: Evaluation, width: int = 80) -> str:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(render_evaluation(evaluation))
    return capture.get()


def cells(text: str, name: str) -> list[list[str]]:
    """The cells of every table row that begins with `name`."""
    rows = (line.split() for line in text.splitlines())
    return [row for row in rows if row and row[0] == name]


def test_a_row_tells_results_by_seat_score_and_elo() -> None:
    text = shown(evaluation_of(WIN, LOSS, DRAW, replace(WIN, game=4)))
    results, times = cells(text, "rival")
    # 2.5 of 4 points, and 400 log10(5 / 3).
    assert results == ["rival", "4", "2-1-0", "0-0-1", "62.5", "+89", "0", "player"]
    assert times[1] == "0.500"


def test_an_infinite_elo_is_shown_as_such() -> None:
    text = shown(evaluation_of(WIN))
    assert "+inf" in cells(text, "rival")[0]
    assert "[20.7, 100.0]" in text, "Wilson's interval of 1 in 1"


def test_failures_are_counted_apart_with_their_first_cause() -> None:
    text = shown(evaluation_of(WIN, PLAYER_FAILED, replace(PLAYER_FAILED, game=5)), width=200)
    assert cells(text, "rival")[0][2:] == ["1-0-0", "0-0-0", "33.3", "-120", "2", "player"]
    assert "hero: 2 ERROR, the first in game 4 against rival: ValueError: boom." in text


def test_the_opponents_failures_bear_its_name() -> None:
    text = shown(evaluation_of(OPPONENT_FAILED), width=200)
    assert cells(text, "rival")[0][4:6] == ["-", "-"]
    assert "1 opponent" in text
    assert "rival: 1 INVALID, the first in game 6 against rival: played column 9" in text


def test_an_early_end_is_said() -> None:
    interrupted = shown(evaluation_of(WIN, games=8, ending=Ending.INTERRUPTED))
    assert "Interrupted: 1 of 8 games were played." in interrupted
    died = shown(evaluation_of(WIN, games=8, ending=Ending.WORKER_DIED))
    assert "A worker process died after 1 of 8 games" in died
    assert " of 1 games" not in shown(evaluation_of(WIN))


def test_games_that_repeat_are_said() -> None:
    text = shown(evaluation_of(WIN, replace(WIN, game=2)), width=200)
    assert "Only 1 of the 2 games against rival are distinct" in text
    assert "distinct" not in shown(evaluation_of(WIN, LOSS))


def test_the_rules_of_counting_are_said() -> None:
    text = " ".join(shown(evaluation_of(WIN)).split())
    assert "a failure of the player 0; a failure of the opponent is left out" in text


def test_names_are_shown_as_they_are() -> None:
    name = "mcts:order=[bold]"
    evaluation = evaluation_of(replace(WIN, opponent=name))
    (rival,) = evaluation.opponents
    text = shown(replace(evaluation, opponents=(replace(rival, name=name),)), width=120)
    assert len(cells(text, name)) == 2


def test_large_figures_fit_eighty_columns() -> None:
    games = [replace(WIN, game=game) for game in range(400)]
    assert "…" not in shown(evaluation_of(*games, LOSS))
