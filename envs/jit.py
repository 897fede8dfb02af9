"""Decorators for compiled functions: Numba where it works, plain Python where it does not."""

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def jit(function: Function) -> Function:
    """Compile `function` when it is first called; without Numba it stays as it is.

    It takes and returns 64-bit integers, floats and numpy arrays, and is written so that it means
    the same on Python's own integers: no reliance on wrap-around, a mask after every shift to the
    left, and one of less than 63 bits after every product or sum that could pass that (it is
    compiled as if its sign were always right). It runs without Python's global lock. What was
    compiled is kept on disk for the next process, where `function` comes from an installed module.
    """
    if not compiles():
        return function
    from numba import njit

    # Source that Kaggle has exec'd has no module, and no file to keep the compiled code beside.
    installed = getattr(function, "__module__", None) in sys.modules.keys() - {"builtins"}
    decorate: Any = njit(nogil=True, cache=installed)
    compiled: Function = decorate(function)
    return compiled


def jit_parallel(function: Function) -> Function:
    """Like `jit`, for a function whose loop over `parallel_range()` is shared by threads.

    They are Numba's threads, as many as `numba.set_num_threads` has allowed to the caller. Let it
    be a small loop around the call of a kernel: it is compiled anew in each process, because Numba
    keeps nothing on disk that has another compiled function as a free variable.
    """
    if not compiles():
        return function
    from numba import njit

    decorate: Any = njit(nogil=True, parallel=True)
    compiled: Function = decorate(function)
    return compiled


def parallel_range() -> Callable[[int], range]:
    """The range of the loops that `jit_parallel` shares; a plain range in all other functions."""
    if not compiles():
        return range
    from numba import prange

    loop: Any = prange
    count_up: Callable[[int], range] = loop
    return count_up


def inlined(function: Function) -> Function:
    """Like `jit`, for the functions that compiled ones are made of: inlined at each call.

    They make no arrays: Numba's count of references to those that they take is switched off, for
    it would cost more than most of them do.
    """
    if not compiles():
        return function
    from numba import njit

    options: dict[str, Any] = {"nogil": True, "forceinline": True, "_nrt": False}
    decorate: Any = njit(**options)
    compiled: Function = decorate(function)
    return compiled


@lru_cache(maxsize=1)
def compiles() -> bool:
    """Whether Numba is installed and able to compile; says why not on stderr, once."""
    try:
        from numba import njit

        _teach_bit_count()
        _teach_fetch_ahead()
        count: Any = njit(_count_bits)
        if count(7) == 3:
            return True
        problem = "it miscounts bits"
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(f"Numba cannot be used, so searches run in plain Python ({problem})", file=sys.stderr)
    return False


def fetch_ahead(words: Any, index: int) -> None:
    """Ask the processor for a word of an array that will be read soon; nothing in plain Python."""


def _count_bits(number: int) -> int:
    return number.bit_count()


def _teach_bit_count() -> None:
    """Make `int.bit_count` known to Numba, as the processor's own instruction."""
    from numba import types
    from numba.extending import intrinsic, overload_method

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    def population_count(typing_context: Any, number: Any) -> Any:
        return number(number), generate

    count: Any = intrinsic(population_count)

    @overload_method(types.Integer, "bit_count")
    def bit_count(number: Any) -> Any:
        def implementation(number: Any) -> Any:
            return count(number)

        return implementation


def _teach_fetch_ahead() -> None:
    """Make `fetch_ahead` known to Numba, as the processor's own instruction."""
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    functions: Any = cgutils.get_or_insert_function
    ir: Any = cgutils.ir  # type: ignore[attr-defined]  # Numba's own, whatever its version
    pointer, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    read, keep_close, data = flag(0), flag(3), flag(1)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        word = builder.bitcast(builder.gep(array.data, [arguments[1]]), pointer)
        kind = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        instruction: Any = functions(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(instruction, [word, read, keep_close, data])

    def fetch_word(typing_context: Any, words: Any, index: Any) -> Any:
        return types.void(words, types.int64), generate

    fetch: Any = intrinsic(fetch_word)

    @overload(fetch_ahead)
    def fetch_ahead_in_array(words: Any, index: Any) -> Any:
        def implementation(words: Any, index: Any) -> None:
            fetch(words, index)

        return implementation
