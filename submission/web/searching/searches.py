"""The searches that a page can ask for, as a search process runs them."""

from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from threading import Event
from time import perf_counter, sleep
from typing import Annotated, Any, NamedTuple
from weakref import WeakValueDictionary

from msgspec import Meta, Struct

from agents.agent import Agent, Clock, TimeUp
from agents.book.opening_book import shipped_book, shipped_book_of
from agents.compiled.compilation import PATIENCE, WIDE_BOARDS, Compilation
from agents.compiled.compiled_alpha_beta import alpha_beta_on
from agents.compiled.compiled_mcts import mcts_on
from agents.levels import LEVELS
from agents.options import agent_options
from agents.registry import make_agent
from agents.solver.solver import Solver
from agents.solver.solver_engine import is_solvable, solver_compilation
from agents.trace.growth import SlicedSearch, growth_after
from agents.traps.told_choice import told_trap
from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX
from submission.play.game_history import History
from submission.web.searching.best_trap import growing_trap
from submission.web.searching.values import SLICE_SECONDS, growing_values
from submission.web.searching.views import growing_review, values_view
from submission.web.setup_form import DEFAULT_NODES, MOST_PLIES, Action, Nodes, PageId

MOST_SOLVERS = 6
"""Solvers, each with a table, that a process has at a time; further boards are only estimated."""
MOST_WIDE_BOARDS = 16
"""Boards of wide words that a process compiles, at 10 MB and some seconds each; further ones are
searched in plain Python, as the answer's `engine` shows."""
TABLE_MEGABYTES = 64
KEPT_SOLVERS = 2  # the latest solvers are kept, with their tables, while no search uses them
MOST_VISITS = 20_000  # the most steps of a search that is drawn; they take 20 to 30 MB
KEPT_TREES = 12  # the latest searches of pages are kept, to be stepped through
PICTURE_SHARE = 2  # seconds of search for each second of drawing it
TRAP_SECONDS = 1.0  # for judging the replies to a move
POLL_SECONDS = 0.02

Snapshots = Generator[dict[str, Any], None, None]


class MoveAsked(NamedTuple):
    """A request for an agent's move."""

    position: History
    agent: str
    options: Mapping[str, Any]
    seconds: float


class TreeAsked(NamedTuple):
    """A search whose tree is to be drawn."""

    page: str
    position: History
    agent: str
    options: Mapping[str, Any]
    nodes: int  # to show


class PictureAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """The tree of a page's search after a step, below the node that the actions in `root` reach."""

    page: PageId
    step: Annotated[int, Meta(ge=1, le=2**31)]
    root: Annotated[tuple[Action, ...], Meta(max_length=MOST_PLIES)] = ()
    nodes: Nodes = DEFAULT_NODES


class Searches:
    """The searches of a process, with the solvers that they share."""

    def __init__(self) -> None:
        self._solvers: WeakValueDictionary[BoardGame, Solver] = WeakValueDictionary()
        self._latest = deque[Solver](maxlen=KEPT_SOLVERS)
        self._prepared = Event()
        self._trees: OrderedDict[str, tuple[TreeAsked, SlicedSearch]] = OrderedDict()
        PATIENCE.compile_beside_games()
        WIDE_BOARDS.most = MOST_WIDE_BOARDS

    def prepare(self) -> None:
        """Compile the searches, those with a network last, and open the book."""
        connect_four = ConnectX()
        compilations = [of(connect_four) for of in (solver_compilation, mcts_on, alpha_beta_on)]
        for compilation in compilations:
            compilation.begin()
        while not all(map(_is_settled, compilations)):
            sleep(POLL_SECONDS)
        shipped_book()
        self._prepared.set()
        for on_board in (mcts_on, alpha_beta_on):
            on_board(connect_four, rounded=True).begin()

    def move(self, asked: MoveAsked) -> dict[str, Any]:
        """Find an agent's move."""
        env, state = asked.position.env, asked.position.state
        result = agent_of(asked).search(env, state, asked.seconds)
        is_won = result.proven and result.value == (1.0 if state.player == 1 else -1.0)
        is_highest = asked.agent == "level" and asked.options.get("n") == len(LEVELS)
        # An agent that plays perfectly sets traps where it cannot win.
        tells_trap = (asked.agent == "perfect" or is_highest) and not is_won
        return {
            "action": int(result.action),
            "value": float(result.value) if result.action_values else None,
            "engine": result.engine,
            "elapsed": round(result.elapsed, 4),
            "trap": self._trap(env, state, int(result.action)) if tells_trap else None,
        }

    def _trap(self, env: BoardGame, state: BoardState, action: int) -> str | None:
        """What replies to a move give away, in words; None if nothing, or if time is too short."""
        solver = self._solver(env)
        if solver is None or not solver_compilation(solver.env).is_ready(patient=False):
            return None
        try:
            trap = told_trap(solver, state, action, Clock(TRAP_SECONDS))
        except TimeUp:
            return None
        return None if trap is None else trap.sentence

    def values(self, position: History) -> Generator[dict[str, Any] | None, None, None]:
        """Find the values of a position's moves and, in a lost one, the best trap."""
        env, state = position.env, position.state
        solver = self._solver(env)
        if solver is not None and not knows_moves(solver, state):
            estimates = growing_values(env, state, None)
            latest = next(estimates)
            while not self._can_solve(solver):
                latest = next(estimates, latest)
                yield {**values_view(latest), "phase": "preparing", "done": False}
        for values in growing_values(env, state, solver):
            view = values_view(values)
            if values.done and solver is not None:
                yield {**view, "phase": "setting a trap", "done": False}
                while values.position.kind == "loss" and not self._can_solve(solver):
                    sleep(POLL_SECONDS)
                    yield None
                view["trap"] = yield from growing_trap(solver, state, values)
            yield view

    def _solver(self, env: BoardGame) -> Solver | None:
        """The solver of a board; None if it has none, or too many other boards are being solved."""
        solver = self._solvers.get(env)
        if solver is None and is_solvable(env) and len(self._solvers) < MOST_SOLVERS:
            solver = Solver(env, TABLE_MEGABYTES, book=shipped_book_of(env))
            self._solvers[env] = solver
        if solver is not None and solver not in self._latest:
            self._latest.append(solver)
        return solver

    def _can_solve(self, solver: Solver) -> bool:
        """Whether a solver is compiled or cannot be; starts to compile it if necessary."""
        return self._prepared.is_set() and _is_settled(solver_compilation(solver.env))

    def review(self, position: History) -> Snapshots:
        """Judge the moves of a game."""
        solver = self._solver(position.env)
        while solver is not None and not self._can_solve(solver):
            sleep(POLL_SECONDS)
            yield {"plies": [], "done": False}
        yield from growing_review(position.env, position.actions, solver)

    def search(self, asked: TreeAsked) -> Generator[dict[str, Any] | None, None, None]:
        """Grow the tree of a search, with a picture of it now and then.

        A page that comes back with the same question gets the tree as it was.
        """
        search = self._begun(asked)
        goes_on, worked, due, latest = True, 0.0, 0.0, None
        while goes_on:
            goes_on = search.advance(SLICE_SECONDS)
            worked += SLICE_SECONDS
            if search.trace.steps and (worked >= due or not goes_on):
                begun = perf_counter()
                latest = picture_view(search, search.trace.steps, (), asked.nodes, not goes_on)
                due = worked + PICTURE_SHARE * (perf_counter() - begun)
            yield latest

    def _begun(self, asked: TreeAsked) -> SlicedSearch:
        """The running search of a page, if it has the same question, or a new one."""
        former, search = self._trees.pop(asked.page, (None, None))
        if search is None or search.is_over or former != asked:
            if search is not None:
                search.close()
            agent = make_agent(asked.agent, **asked.options)
            search = SlicedSearch(agent, asked.position.env, asked.position.state, MOST_VISITS)
        self._trees[asked.page] = asked, search
        while len(self._trees) > KEPT_TREES:
            _, (_, oldest) = self._trees.popitem(last=False)
            oldest.close()
        return search

    def picture(self, asked: PictureAsked) -> dict[str, Any]:
        """Show the tree of a page's latest search as it was after a step."""
        _, search = self._trees.get(asked.page, (None, None))
        if search is None or not search.trace.steps:
            raise ValueError("this search is not kept any more: start it again")
        step = min(asked.step, search.trace.steps)
        return picture_view(search, step, asked.root, asked.nodes, True)


def knows_moves(solver: Solver, state: BoardState) -> bool:
    """Whether no move needs a search: each ends the game, or leads into the book."""
    env = solver.env
    actions = env.get_available_actions(state)
    return all(solver.known(env.get_next_state(state, action)) for action in actions)


def _is_settled(compilation: Compilation) -> bool:
    """Whether a search is compiled or cannot be; starts to compile it if necessary."""
    return compilation.is_ready(patient=False) or compilation.has_failed()


def agent_of(asked: MoveAsked) -> Agent:
    """The agent that is to find a move.

    It has one thread, because there is a process for each core, and by default no time limit of its
    own: the page sets the seconds.
    """
    agent = make_agent(asked.agent, **asked.options)
    names = {info.name for info in agent_options(type(agent))}
    settings = {"threads": 1, "time_limit": asked.options.get("time_limit")}
    changes = {name: value for name, value in settings.items() if name in names}
    return replace(agent, **changes)  # type: ignore[type-var]


def picture_view(
    search: SlicedSearch, step: int, root: tuple[int, ...], nodes: int, done: bool
) -> dict[str, Any]:
    """The tree after a step as JSON, with a sentence if a limit has ended the search."""
    growth = growth_after(search.trace, step, nodes, root)
    limit = f"Its limit of {MOST_VISITS:,} visits ends the search here, before it has chosen."
    return {**growth._asdict(), "limit": limit if search.is_full else None, "done": done}


QUESTIONS: Mapping[str, Callable[[Searches, Any], Any]] = {
    "move": Searches.move,
    "picture": Searches.picture,
}
"""The questions that are answered in one go."""
GROWING: Mapping[str, Callable[[Searches, Any], Generator[Any, None, None]]] = {
    "values": Searches.values,
    "review": Searches.review,
    "search": Searches.search,
}
"""The questions that are answered by snapshots, the last one `done`; None means nothing new."""
