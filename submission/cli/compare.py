"""`connectx compare` and `rank`: is the new version better, and how strong is a player?"""

from pathlib import Path
from typing import Annotated, Any

from agents.reporting.output_file import replace_text
from submission import front_door
from submission.arena.players import find_player
from submission.cli.arguments import (
    Brief,
    Json,
    PlayerName,
    argument,
    files_of_players,
    require_a_move,
    require_complete,
    require_files,
    setting,
    show,
)
from submission.cli.front_options import MostGames, options_of
from submission.comparing.comparison import comparison_page


@options_of(front_door.compare, games=MostGames)
def compare(
    new: Annotated[str, argument("NEW", "The new version of a player.")],
    old: Annotated[str, argument("OLD", "The old version.")],
    brief: Brief = False,
    json: Json = None,
    html: Annotated[
        Path | None, setting("FILE", "Write a page with the positions in which NEW loses more.")
    ] = None,
    **options: Any,
) -> None:
    """Say whether a new version of a player is better than the old one.

    Both are checked by a pair of games. Then they meet in this package's arena, each opening from
    both seats, until a sequential test tells better, worse and equal apart; the bar says how many
    games that will take, and how long. Both are then asked for their moves in the same solved
    positions. Positions in which NEW loses what OLD kept come first, with their moves for
    `connectx solve` and the page of `connectx web`. Finally, on Linux, both players' moves are
    timed at a third of the speed.

    Ctrl-C ends the comparison with exit status 1, and shows the games played so far.
    """
    players = [find_player(name) for name in (new, old)]
    require_files(html, json=json, read=files_of_players(players))
    result = front_door.compare(*players, **options)
    show(result, json, brief)
    if html is not None:
        replace_text(html, comparison_page(result))
    require_complete(result.completion)


@options_of(front_door.rank, games=MostGames)
def rank(player: PlayerName, brief: Brief = False, json: Json = None, **options: Any) -> None:
    """Find a player's level, from 1 to 10, and its Elo with an interval.

    The player meets the agent `level`, from 1, random, to 10, perfect, in this package's arena:
    eight games at a time, against the level nearest to the estimate so far.

    Ctrl-C ends the games, and shows the estimate so far. Exit status 1 after Ctrl-C, and when the
    player has failed in every game.
    """
    ranked = find_player(player)
    require_files(json=json, read=files_of_players([ranked]))
    result = front_door.rank(ranked, **options)
    show(result, json, brief)
    require_complete(result.match.completion)
    require_a_move(ranked, result.match)
