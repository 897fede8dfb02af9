"""The peers' searches, from the initial state of a game.

A peer is imported only when it searches, so that a missing one does not affect the others.
"""


def open_spiel_minimax(game: str, depth: int) -> float:
    """OpenSpiel's minimax in Python: no pruning; its states are C++ objects."""
    import pyspiel
    from open_spiel.python.algorithms import minimax

    state = pyspiel.load_game(game).new_initial_state()
    value, _ = minimax.expectiminimax(state, depth, lambda state: 0.0, maximizing_player_id=0)
    return float(value)


def open_spiel_alpha_beta(game: str, depth: int) -> float:
    """OpenSpiel's alpha-beta in Python: no table, moves from left to right."""
    import pyspiel
    from open_spiel.python.algorithms import minimax

    value, _ = minimax.alpha_beta_search(
        pyspiel.load_game(game), value_function=lambda state: 0.0, maximum_depth=depth
    )
    return float(value)


def open_spiel_cpp_alpha_beta(game: str, depth: int) -> float:
    """OpenSpiel's alpha-beta in C++: no table, moves from left to right."""
    from benchmarks.searches.open_spiel_native import alpha_beta_value

    return alpha_beta_value(game, depth)


def open_spiel_mcts(game: str, simulations: int, exploration: float) -> float:
    """The action chosen by OpenSpiel's Monte Carlo tree search in Python."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts

    rng = np.random.RandomState(1)
    rules = pyspiel.load_game(game)
    bot = mcts.MCTSBot(
        rules,
        exploration,
        simulations,
        mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng),
        solve=False,
        random_state=rng,
    )
    return float(bot.step(rules.new_initial_state()))


def open_spiel_cpp_mcts(game: str, simulations: int, exploration: float) -> float:
    """The action chosen by OpenSpiel's Monte Carlo tree search in C++."""
    import pyspiel

    rules = pyspiel.load_game(game)
    bot = pyspiel.MCTSBot(
        rules,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1),
        exploration,
        simulations,
        max_memory_mb=100,
        solve=False,
        seed=1,
        verbose=False,
    )
    return float(bot.step(rules.new_initial_state()))


def easy_ai_alpha_beta(depth: int, table: bool) -> float:
    """Negamax of easyAI with alpha-beta for Connect Four, with or without a table."""
    from easyAI import TranspositionTable
    from easyAI.AI.Negamax import Negamax

    from benchmarks.searches.easy_ai_connect_four import EasyAIConnectFour

    search = Negamax(depth, win_score=1, tt=TranspositionTable() if table else None)
    search(EasyAIConnectFour())
    return float(search.alpha)
