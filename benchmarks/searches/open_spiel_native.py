"""Calls OpenSpiel's alpha-beta in C++, which its Python package contains but does not expose.

The shared library of `pyspiel` exports the function, so it is called directly, by the Itanium C++
ABI with GNU's standard library, with which the Linux wheels are built. Its arguments and result are
declared in OpenSpiel's `algorithms/minimax.h`.
"""

import ctypes
import sys
from functools import lru_cache
from typing import Any

LOAD_GAME = "_ZN10open_spiel8LoadGameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
"""`std::shared_ptr<const Game> LoadGame(const std::string&)`"""
ALPHA_BETA_SEARCH = (
    "_ZN10open_spiel10algorithms15AlphaBetaSearchERKNS_4GameEPKNS_5StateESt8functionIFdRS5_EEiib"
)
"""`std::pair<double, Action> AlphaBetaSearch(const Game&, const State*,
std::function<double(const State&)>, int depth_limit, Player, bool use_undo)`"""


class String(ctypes.Structure):
    """A `std::string` that borrows its characters."""

    _fields_ = (
        ("characters", ctypes.c_char_p),
        ("length", ctypes.c_size_t),
        ("short_characters", ctypes.c_char * 16),
    )


class SharedPointer(ctypes.Structure):
    """A `std::shared_ptr` that is never released, so games stay loaded."""

    _fields_ = (("pointer", ctypes.c_void_p), ("count", ctypes.c_void_p))


class Function(ctypes.Structure):
    """A `std::function` that wraps a plain function."""

    _fields_ = (
        ("storage", ctypes.c_byte * 16),
        ("manager", ctypes.c_void_p),
        ("invoker", ctypes.c_void_p),
    )


class ValueAndAction(ctypes.Structure):
    """A `std::pair<double, Action>`."""

    _fields_ = (("value", ctypes.c_double), ("action", ctypes.c_int64))


def alpha_beta_value(game: str, depth: int) -> float:
    """The value of a game's initial state, from player 1's view; unfinished states are worth 0.

    Raises:
        ModuleNotFoundError: OpenSpiel is not installed, or its build cannot be called this way.
    """
    search = _library()[ALPHA_BETA_SEARCH]
    search.restype = ValueAndAction
    search.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int, ctypes.c_int, ctypes.c_bool]
    manager, invoker = _zero_function()
    value_function = Function(manager=manager.address, invoker=invoker.address)
    address = ctypes.addressof(value_function)
    found: ValueAndAction = search(_game(game), None, address, depth, 0, False)
    return float(found.value)


@lru_cache
def _library() -> ctypes.CDLL:
    import pyspiel

    library = ctypes.CDLL(pyspiel.__file__)
    if (
        sys.platform == "linux"
        and hasattr(library, LOAD_GAME)
        and hasattr(library, ALPHA_BETA_SEARCH)
    ):
        return library
    raise ModuleNotFoundError("this build of OpenSpiel does not export its alpha-beta")


@lru_cache
def _game(name: str) -> int:
    """The address of a `Game`."""
    load = _library()[LOAD_GAME]
    load.restype = None
    load.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    game = SharedPointer()
    text = String(name.encode(), len(name))
    load(ctypes.addressof(game), ctypes.addressof(text))
    return int(game.pointer)


@lru_cache
def _zero_function() -> tuple[Any, Any]:
    """A `std::function`'s manager and invoker, compiled: every state is worth 0."""
    from numba import cfunc, types

    @cfunc(types.boolean(types.intp, types.intp, types.int32))
    def manager(target: int, source: int, operation: int) -> bool:
        return False  # nothing is stored, so there is nothing to copy or destroy

    @cfunc(types.double(types.intp, types.intp))
    def invoker(storage: int, state: int) -> float:
        return 0.0

    return manager, invoker
