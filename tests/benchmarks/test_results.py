"""What benchmarks find, kept as JSON and shown in a document."""

import json
import platform
import sys
from pathlib import Path

import pytest

from benchmarks import structure
from benchmarks.results import report_json, results_markdown, table, with_results
from envs import ConnectX
from tests.helpers.benchmark_reports import report_text, run_benchmark
from tests.helpers.trained_policies import policy_file

PAGE = "# Speed\n\n<!-- results/one.json -->\nold\n\n| old |\n<!-- end -->\n\nThe end.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the results of one benchmark."""
    monkeypatch.setattr(sys, "argv", ["…", "searches", "--only", "a b"])
    rows = table("work", "ours", words=("work",))
    rows.add_row("a|b", "1.5 ms")
    rows.add_row("c")
    (tmp_path / "results").mkdir()
    text = report_json(["Before.", rows, "After."], timings=[{"seconds": [1]}])
    assert json.loads(text)["timings"] == [{"seconds": [1]}]
    (tmp_path / "results" / "one.json").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_document_shows_a_report_and_what_measured_it(folder: Path) -> None:
    shown = with_results(PAGE, folder).splitlines()
    assert shown[:11] == [
        "# Speed",
        "",
        "<!-- results/one.json -->",
        "Before.",
        "",
        "| work | ours |",
        "| --- | --: |",
        r"| a\|b | 1.5 ms |",
        "| c |  |",
        "",
        "After.",
    ]
    command, conditions = shown[12].split("; ")
    assert command == "*`python -m benchmarks searches --only 'a b'`"
    assert f"Python {platform.python_version()}, " in conditions
    assert shown[13:] == ["<!-- end -->", "", "The end."]
    assert with_results("\n".join(shown), folder) == "\n".join(shown)


def test_figures_that_no_command_gives_are_shown_without_one() -> None:
    content = {"command": None, "conditions": "two cores", "report": ["Text."]}
    assert results_markdown(content) == "Text.\n\n*two cores*"


def test_a_place_and_its_results_belong_together(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"no place for results/one\.json$"):
        with_results("# Speed\n", folder)
    with pytest.raises(FileNotFoundError, match=r"two\.json"):
        with_results(PAGE + PAGE.replace("one", "two"), folder)


def test_a_report_is_printed_as_it_stands() -> None:
    assert report_text(["pip install 'pgx[all]'"]) == "\npip install 'pgx[all]'\n"


def test_a_benchmark_writes_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "PACKAGES", ["envs"])
    monkeypatch.setattr(structure, "PEERS", ["typer", "missing"])
    words = ["structure", "--json", str(tmp_path / "structure.json")]
    monkeypatch.setattr(sys, "argv", ["…", *words])
    printed = run_benchmark(*words)
    content = json.loads((tmp_path / "structure.json").read_text(encoding="utf-8"))
    assert content["command"].startswith("python -m benchmarks structure --json ")
    (report,) = content["report"]
    assert [row[0] for row in report["rows"]] == ["envs", "typer"]
    for row in report["rows"]:
        assert " ".join(row) in printed


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("learned missing.npz", "cannot read missing.npz"),
        ("learned weights.npz", "no part that was chosen measures that"),
        ("learned weights.npz --games 3", "ask for an even number of games"),
        ("learned weights.npz --only chess", "no work has 'chess' in its name"),
        ("learned weights.npz --positions nowhere", "cannot read nowhere"),
        ("second-seat --player nobody", "unknown agent 'nobody'"),
        ("second-seat --player mcts:depth=3", "has no option 'depth'"),
        ("second-seat --network nothing.npz", "cannot read nothing.npz"),
        ("second-seat --only negamax", "no opponent has 'negamax'"),
        ("hard nobody", "unknown agent 'nobody'"),
        ("solver --only opening", "no work has 'opening' in its name; choose from: end-easy;"),
        ("solver --peer pons", "a peer is given as NAME=COMMAND, not as 'pons'"),
        ("solver --peer =./pons", "a peer is given as NAME=COMMAND, not as '=./pons'"),
        ("solver --peer pons=", "a peer is given as NAME=COMMAND, not as 'pons='"),
        ("moves --resistance most", "unknown resistance 'most'"),
        ("opponents --pufferlib nowhere", "give the folder of PufferLib's source distribution"),
        ("positions", "bitbully is missing: install it with `pip install bitbully`"),
        ("structure --json nowhere/file.json", "nowhere"),
        ("vectors --plot nowhere/speed.svg", "nowhere"),
    ],
)
def test_mistakes_are_one_sentence(
    words: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "bitbully", None)
    policy_file(ConnectX(4, 4, 3), tmp_path)
    assert problem in run_benchmark(*words.split(), status=2)


def test_results_are_kept_until_there_are_new_ones(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("{}", encoding="utf-8")
    run_benchmark("solver", "--only", "opening", "--json", str(kept), status=2)
    assert kept.read_text(encoding="utf-8") == "{}"


def test_a_narrow_terminal_cuts_no_figure() -> None:
    rows = table("work", "times faster", words=("work",))
    rows.add_row("alpha-beta to depth 8, as the reference plays it", "0.51 (0.49-0.53)")
    shown = report_text([rows], width=40)
    assert "0.53)" in shown
    assert "it" in shown.split()
