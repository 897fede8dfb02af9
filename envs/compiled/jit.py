"""Kernels: plain functions of numbers and arrays, which Numba compiles on demand.

A kernel is written once. Called directly, it runs in plain Python, on Python's own integers and on
anything that can be indexed; `compiled` returns its twin in machine code. Numba is not imported
before the first twin is made.
"""

import sys
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from threading import Event, RLock
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

KIND = "_kernel"  # the attribute of a kernel that says how it is decorated
OPTIONS = "_options"  # the optional attribute that returns further options for Numba
TWINS: dict[Callable[..., Any], Any] = {}  # the compiled twin of each kernel that has one
INGREDIENTS: dict[Callable[..., Any], Any] = {}
"""The twin of each inlined kernel, for the twins of its callers; Python cannot call it."""
MAKING_TWINS = RLock()
COMPILED_ANEW: list[str] = []
"""The names of the kernels whose machine code was not found on disk in this process."""
WordKind: TypeAlias = Callable[[int], int]
"""A kind of words, which turns a number into a word: `int` for 64 bits, or one of `wide_words`."""
WORDS: dict[int, WordKind] = {64: int}  # the kinds of words by bits; `wide_words` adds its own
ENDING = Event()  # set when this process ends: threads that compile then stop as soon as they can


def jit(function: Function) -> Function:
    """Mark `function` as a kernel, which `compiled` compiles.

    It takes and returns 64-bit integers, floats and numpy arrays, and must return the same on
    Python's own integers: it does not rely on wrap-around, masks every left shift, and masks to
    less than 63 bits every product or sum that could exceed them (the compiler assumes that no sum
    or product overflows). If its words may be wider (`envs.compiled.wide_words`), `int()` narrows
    the numbers that it reads from them, and a single bit of a word is made by shifting a word,
    since `1 << n` has 64 bits. Its twin runs without Python's global lock. Machine code is cached
    on disk if `function` comes from an installed module and a folder is writable.
    """
    vars(function)[KIND] = "jit"
    return function


def inlined(function: Function) -> Function:
    """Like `jit`, for functions that kernels call: they are inlined at each call.

    These functions make no arrays: Numba's reference counting of their arguments is switched off,
    because it would take longer than most of them do.
    """
    vars(function)[KIND] = "inlined"
    return function


def parallel_range(count: int) -> range:
    """Return the range of a loop that threads share (`shared_loops`); elsewhere, a plain range."""
    return range(count)


def fetch_ahead(words: Any, index: int) -> None:
    """Prefetch a word of an array that will be read soon; in plain Python, do nothing."""


FOLDING = 0x1B873593CC9E2D51  # odd, with its 1s spread over the word


def folded(word: int) -> int:
    """Fold a word into its lowest 64 bits, for a hash; a word of 64 bits stays as it is."""
    word = int(word)
    rest = word >> 64
    folds = folded(rest) * FOLDING if rest > 0 else 0
    return (folds ^ word) & ((1 << 64) - 1)


def bit_of(word: int, number: int) -> int:
    """Return a bit of a word, 0 or 1, by its number."""
    return (word >> number) & 1


def compiled(kernel: Function) -> Function:
    """Return the twin of a kernel in machine code, compiled when it is first called.

    Raises:
        ImportError: Numba is missing or broken; a broken Numba may raise other errors, too.
    """
    if kernel not in TWINS:  # a finished twin needs no lock, which another thread may hold
        with MAKING_TWINS:
            _teach_numba()
            if kernel not in TWINS:
                TWINS[kernel] = _twin(kernel)
    twin: Function = TWINS[kernel]
    return twin


def _inner(kernel: Callable[..., Any]) -> Any:
    """Return the twin of a kernel as the twins of other kernels call it."""
    if vars(kernel)[KIND] != "inlined":
        return compiled(kernel)
    if kernel not in INGREDIENTS:
        from numba import njit

        options: dict[str, Any] = _inlining_options()
        INGREDIENTS[kernel] = njit(**options)(_calling_twins(kernel))
    return INGREDIENTS[kernel]


def fastest(kernel: Function) -> Function:
    """Return the compiled twin of a kernel, or the kernel itself where Numba cannot be used."""
    return compiled(kernel) if compiles() else kernel


@lru_cache(maxsize=1)
def compiles() -> bool:
    """Return whether Numba is installed and can compile; if not, print why on stderr, once."""
    try:
        if compiled(_count_bits)(7) == 3:
            return True
        problem = "it miscounts bits"
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(f"Numba cannot be used, so searches run in plain Python ({problem})", file=sys.stderr)
    return False


@inlined
def _count_bits(number: int) -> int:
    return number.bit_count()


def _twin(kernel: Callable[..., Any]) -> Any:
    """Make the twin that Python calls, and cache its machine code on disk if possible."""
    from numba import njit

    decorate: Callable[..., Any] = njit
    twin, kind = _calling_twins(kernel), vars(kernel)[KIND]
    if kind == "inlined":
        return decorate(nogil=True, _nrt=False)(twin)
    options = {"nogil": True} | vars(kernel).get(OPTIONS, dict)()
    if _is_installed(kernel):
        try:
            return _kept_by_name(decorate(cache=True, **options)(twin))
        except RuntimeError:  # no writable folder for the cache
            pass
    COMPILED_ANEW.append(kernel.__name__)
    return decorate(**options)(twin)


def _calling_twins(kernel: Callable[..., Any]) -> FunctionType:
    """Return a kernel whose calls go to the twins of other kernels, for Numba to compile."""
    names = kernel.__code__.co_names
    world = {name: _seen(value) for name, value in kernel.__globals__.items() if name in names}
    cells = tuple(CellType(_seen(cell.cell_contents)) for cell in kernel.__closure__ or ())
    twin = FunctionType(kernel.__code__, world, kernel.__name__, kernel.__defaults__, cells)
    twin.__module__ = kernel.__module__
    if _is_installed(kernel):
        # Numba finds machine code on disk by this name and the kernel's own file, and links it by
        # this name and a number that restarts in each process. So the name must identify the
        # functions and constants in the code: otherwise a change of a called function would go
        # unnoticed, and code for two boards could have the same name.
        twin.__qualname__ = f"{twin.__qualname__}.{_meaning(kernel)[:16]}"
    return twin


def _is_installed(kernel: Callable[..., Any]) -> bool:
    """Return whether a function comes from a module, not from source that Kaggle runs by `exec`."""
    return kernel.__module__ in sys.modules.keys() - {"builtins"}


def _kept_by_name(twin: Any) -> Any:
    """Cache machine code by the name of a twin, which identifies its kernels and constants.

    By itself, Numba cannot identify other compiled functions in a closure, and would compile in
    each process. It numbers its code files: two processes that compile at once take the same
    number, and the code of one may later be loaded in place of the other's. Numba also fails if it
    cannot read its files, for example after an update of this package that has moved types.
    """
    cache = getattr(twin, "_cache", None)
    files = getattr(cache, "_cache_file", None)
    if cache is None or files is None:  # another version of Numba
        return twin

    def index_key(signature: Any, codegen: Any) -> Any:
        return signature, tuple(map(_fields, signature)), codegen.magic_tuple()

    read_index, read_code, find = files._load_index, files._load_data, cache.load_overload

    def load_overload(*arguments: Any) -> Any:
        found = find(*arguments)
        if found is None:
            COMPILED_ANEW.append(twin.__name__)
        return found

    def load_index() -> Any:
        try:
            return read_index()
        except Exception:  # written by another version of this package, or incomplete
            return {}

    def load_code(name: str) -> Any:
        try:
            return read_code(name)
        except Exception as error:
            raise OSError("code that cannot be read is compiled anew") from error

    def save(key: Any, code: Any) -> None:
        index = load_index()
        number = int.from_bytes(sha256(repr(key).encode()).digest()[:8], "big")
        index[key] = files._data_name(number)
        files._save_data(index[key], code)
        files._save_index(index)

    cache._index_key, cache.load_overload = index_key, load_overload
    files._load_index, files._load_data, files.save = load_index, load_code, save
    return twin


def _fields(kind: Any) -> Any:
    """Return a tuple type's field names; without them, types that differ in order are equal."""
    from numba import types

    is_tuple = isinstance(kind, types.BaseTuple)
    return is_tuple and (getattr(kind, "fields", None), *map(_fields, kind))


@cache
def _meaning(kernel: Callable[..., Any]) -> str:
    """Return a digest of the code of a kernel and of the kernels and constants that it uses."""
    used = [_meaning(value) if _is_kernel(value) else value for value in _used(kernel)]
    parts = [kernel.__module__, vars(kernel)[KIND], _parts(kernel.__code__), used]
    return sha256(repr(parts).encode()).hexdigest()


def _parts(code: CodeType) -> list[Any]:
    """Return the parts of a function's code that do not depend on its place in the file."""
    constants = [_parts(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return [code.co_name, code.co_code, constants, code.co_names, code.co_varnames]


def _used(function: Callable[..., Any]) -> list[Any]:
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    kinds = (bool, int, float, str, tuple)
    return [value for value in named + enclosed if isinstance(value, kinds) or _is_kernel(value)]


def _is_kernel(value: Any) -> bool:
    return isinstance(value, FunctionType) and KIND in vars(value)


def _seen(value: Any) -> Any:
    """Return what a twin uses in place of a global or enclosed value of its kernel."""
    if value is parallel_range:
        from numba import prange

        return prange
    return _inner(value) if _is_kernel(value) else value


@lru_cache(maxsize=1)
def _inlining_options() -> dict[str, Any]:
    """Return the options that compile an inlined function only as a part of its callers.

    By default Numba would also optimise it separately, and emit unused machine code and an entry
    point for Python, again at each level of calls. The caller is optimised with its inlined
    functions anyway; on Numba 0.60 the solver compiles in 4 seconds instead of 30.
    """
    options: dict[str, Any] = {"nogil": True, "forceinline": True, "_nrt": False}
    try:
        from numba.core.compiler import Compiler

        ingredient = ingredient_class()
    except ImportError:
        return options
    compiler_base: Any = Compiler

    class IngredientCompiler(compiler_base):  # type: ignore[misc]
        def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
            if ENDING.is_set():
                raise SystemExit
            library = library or ingredient(target.codegen(), "ingredient")
            super().__init__(typing, target, library, *others)

    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return {**options, **wrappers, "pipeline_class": IngredientCompiler}


@lru_cache(maxsize=1)
def ingredient_class() -> Any:
    """Make a class of Numba's code libraries for code that is only ever a part of other code.

    Raises:
        ImportError: a version of Numba without the class of its libraries.
    """
    from numba.core.codegen import JITCodeLibrary

    library_base: Any = JITCodeLibrary

    class Ingredient(library_base):  # type: ignore[misc]
        """Code that is linked into its callers' code, and never loaded to run by itself."""

        def _optimize_final_module(self) -> None:
            """Do nothing: the callers optimise it."""

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            """Return 0: it has no address."""
            self._ensure_finalized()
            return 0

        @property
        def codegen(self) -> Any:
            """The object whose `set_env` Numba calls: this one, whose `set_env` does nothing."""
            return self

        def set_env(self, name: str, env: object) -> None:
            """Do nothing: inlined code has the environment of its caller."""

    return Ingredient


def _teach_numba() -> None:
    while LESSONS:
        LESSONS[0]()
        LESSONS.pop(0)


def _teach_bit_count() -> None:
    """Make Numba compile `int.bit_count` to the processor's own instruction."""
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
    """Make Numba compile `fetch_ahead` to the processor's own instruction."""
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

    @overload(fetch_ahead, strict=False)
    def fetch_ahead_in_array(words: Any, index: Any) -> Any:
        return lambda words, index: fetch(words, index)


def _teach_words() -> None:
    from numba import types
    from numba.extending import overload

    @overload(folded, strict=False)
    def folded_word(word: Any) -> Any:
        return (lambda word: word) if isinstance(word, types.Integer) else None

    @overload(bit_of, strict=False)
    def bit_of_word(word: Any, number: Any) -> Any:
        is_narrow = isinstance(word, types.Integer)
        return (lambda word, number: (word >> number) & 1) if is_narrow else None


LESSONS: list[Callable[[], None]] = [_teach_bit_count, _teach_fetch_ahead, _teach_words]
"""Functions that register extensions with Numba, to be called once before it compiles."""

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[np.int64]
    Flags: TypeAlias = npt.NDArray[np.bool_]
else:
    Words = Flags = object


def bits_of_word(word: int) -> int:
    """Return how many bits a word of this kind has."""
    bits: int = getattr(word, "bits", 64)
    return bits


def zeros(*shape: int, word: WordKind = int) -> Words:
    """Make an array of zeros, of one of the kinds in `WORDS`."""
    import numpy as np

    if word is not int:
        wide: Any = word
        made: Words = wide.zeros(shape)
        return made
    words = np.empty(shape, np.int64)
    words.fill(0)  # allocates the memory now, not page by page during the first search
    return words


def words_of(numbers: Sequence[int], word: WordKind = int) -> Words:
    """Make an array of these numbers as words."""
    import numpy as np

    if word is int:
        return np.array(numbers, np.int64)
    words = zeros(len(numbers), word=word)
    for index, number in enumerate(numbers):
        words[index] = number
    return words
