"""Integers of 128 and 256 bits for Numba, provided by LLVM: the compiled `wide_words`.

A kernel's source is the same for all widths. An operation with a wide integer widens the other
operand; sums and products wrap around; `int()` narrows a wide integer to 64 bits, in which it must
fit; bit counts have 64 bits. An array of wide integers is a Numba array over the same memory.

Importing this module registers these types with Numba.
"""

import operator
from collections.abc import Callable
from typing import Any

from numba import extending as numba_extending
from numba import types as numba_types
from numba.core import cgutils, imputils, typeconv
from numba.core.typing import templates as numba_templates

from envs.compiled.jit import FOLDING, bit_of, folded

# Numba's API is untyped here, because its types depend on its version.
# mypy: disable-error-code="untyped-decorator"
ir: Any = cgutils.ir  # type: ignore[attr-defined]
extending: Any = numba_extending
types: Any = numba_types
templates: Any = numba_templates
lower_constant: Any = imputils.lower_constant
Conversion: Any = typeconv.Conversion  # type: ignore[attr-defined]

LIMB_BITS = 64
LIMB = ir.IntType(LIMB_BITS)


class WideInteger(types.Hashable):  # type: ignore[misc]
    """The type of wide integers; not one of Numba's number types, which NumPy must know."""

    def __init__(self, bits: int) -> None:
        super().__init__(f"int{bits}")
        self.bits = bits

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        """Allow narrower integers, so that a variable may be 0 first and a wide integer later."""
        return Conversion.safe if is_narrow(other) else None

    def unify(self, typing_context: Any, other: Any) -> Any:
        """Return the type of a variable that takes values of both types."""
        return self if is_narrow(other) else None


def is_narrow(kind: Any) -> bool:
    """Return whether a type holds integers of at most 64 bits."""
    return isinstance(kind, types.Integer | types.Boolean)


def llvm(kind: WideInteger) -> Any:
    """Return LLVM's type of wide integers."""
    return ir.IntType(kind.bits)


@extending.register_model(WideInteger)
class WideModel(extending.models.PrimitiveModel):  # type: ignore[misc]
    """A wide integer in LLVM's form."""

    def __init__(self, manager: Any, kind: WideInteger) -> None:
        super().__init__(manager, kind, llvm(kind))


def know_words(word_class: type, array_class: type) -> None:
    """Register the classes of wide integers and of their arrays with Numba."""

    @extending.typeof_impl.register(word_class)
    def type_of_word(word: Any, context: Any) -> WideInteger:
        return WideInteger(word.bits)

    @extending.typeof_impl.register(array_class)
    def type_of_words(words: Any, context: Any) -> Any:
        layout = "C" if words.flags.c_contiguous else "A"
        return types.Array(WideInteger(8 * words.itemsize), words.ndim, layout)


@lower_constant(WideInteger)
def constant(context: Any, builder: Any, kind: WideInteger, word: int) -> Any:
    """Generate a constant."""
    return llvm(kind)(int(word))


@extending.unbox(WideInteger)
def unbox_word(kind: WideInteger, number: Any, c: Any) -> Any:
    """Assemble a number from its parts of 64 bits, the lowest first."""
    python, builder = c.pyapi, c.builder
    all_ones = python.long_from_ulonglong(LIMB(-1))
    word = llvm(kind)(0)
    for shift in range(0, kind.bits, LIMB_BITS):
        distance = python.long_from_longlong(LIMB(shift))
        rest = python.number_rshift(number, distance)
        limb = python.number_and(rest, all_ones)
        bits = builder.zext(python.long_as_ulonglong(limb), llvm(kind))
        word = builder.or_(word, builder.shl(bits, llvm(kind)(shift)))
        for used in distance, rest, limb:
            python.decref(used)
    python.decref(all_ones)
    return extending.NativeValue(word)


@extending.lower_cast(types.Integer, WideInteger)
@extending.lower_cast(types.Boolean, WideInteger)
def widen(context: Any, builder: Any, source: Any, target: WideInteger, value: Any) -> Any:
    """Widen an integer of at most 64 bits."""
    extend = builder.sext if getattr(source, "signed", False) else builder.zext
    return extend(value, llvm(target))


@extending.lower_cast(types.IntegerLiteral, WideInteger)
def widen_literal(context: Any, builder: Any, source: Any, target: WideInteger, value: Any) -> Any:
    """Widen a literal."""
    return llvm(target)(source.literal_value)


Generate = Callable[[Any, list[Any]], Any]
"""Generates the instructions of an operation, from LLVM's builder and the operands."""


def teach(operation: Any, operands: int, result: Any, generate: Generate) -> None:
    """Register an operation on one or two operands; at least one is wide, and the other is widened.

    If `result` is None, the result has the type of the wide operand.
    """

    @templates.infer_global(operation)
    class Operation(templates.AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments: Any, _: Any) -> Any:
            wide = next((kind for kind in arguments if isinstance(kind, WideInteger)), None)
            others = [kind for kind in arguments if kind != wide]
            if wide is None or len(arguments) != operands or not all(map(is_narrow, others)):
                return None
            return templates.signature(result or wide, *[wide] * operands)

    def lower(context: Any, builder: Any, signature: Any, values: list[Any]) -> Any:
        return generate(builder, values)

    extending.lower_builtin(operation, *[WideInteger] * operands)(lower)


def instruction(name: str) -> Generate:
    """Return a function that generates an instruction of LLVM."""
    return lambda builder, values: getattr(builder, name)(*values)


def comparison(symbol: str) -> Generate:
    """Return a function that generates a comparison of two signed integers."""
    return lambda builder, values: builder.icmp_signed(symbol, *values)


def against_zero(symbol: str) -> Generate:
    """Return a function that generates a comparison of an integer with 0."""
    return lambda builder, values: builder.icmp_signed(symbol, values[0], values[0].type(0))


OPERATORS = {
    "and_": (operator.and_, operator.iand),
    "or_": (operator.or_, operator.ior),
    "xor": (operator.xor, operator.ixor),
    "add": (operator.add, operator.iadd),
    "sub": (operator.sub, operator.isub),
    "mul": (operator.mul, operator.imul),
    "shl": (operator.lshift, operator.ilshift),
    "ashr": (operator.rshift, operator.irshift),
}
COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
for name, operators in OPERATORS.items():
    for operation in operators:
        teach(operation, 2, None, instruction(name))
for symbol, operation in COMPARISONS.items():
    teach(operation, 2, types.boolean, comparison(symbol))
teach(min, 2, None, lambda builder, two: builder.select(builder.icmp_signed("<", *two), *two))
teach(operator.neg, 1, None, instruction("neg"))
teach(operator.invert, 1, None, instruction("not_"))
teach(operator.not_, 1, types.boolean, against_zero("=="))
teach(bool, 1, types.boolean, against_zero("!="))
teach(int, 1, types.int64, lambda builder, values: builder.trunc(values[0], LIMB))


@extending.intrinsic
def count_bits(typing_context: Any, word: Any) -> Any:
    """Count the bits of a wide integer by the processor's own instruction."""

    def generate(context: Any, builder: Any, signature: Any, values: list[Any]) -> Any:
        return builder.trunc(builder.ctpop(values[0]), LIMB)

    return types.int64(word), generate


@extending.overload_method(WideInteger, "bit_count", strict=False)
def bit_count(word: Any) -> Any:
    """Make Numba compile `int.bit_count`."""
    return lambda word: count_bits(word)


@extending.intrinsic
def fold_limbs(typing_context: Any, word: Any) -> Any:
    """Implement `envs.compiled.jit.folded`."""

    def generate(context: Any, builder: Any, signature: Any, values: list[Any]) -> Any:
        folds = LIMB(0)
        for shift in range(word.bits - LIMB_BITS, -1, -LIMB_BITS):
            rest = builder.lshr(values[0], llvm(word)(shift))
            limb = builder.trunc(rest, LIMB)
            folds = builder.xor(builder.mul(folds, LIMB(FOLDING)), limb)
        return folds

    return types.int64(word), generate


@extending.overload(folded, strict=False)
def folded_wide(word: Any) -> Any:
    """Make Numba compile `envs.compiled.jit.folded`."""
    return (lambda word: fold_limbs(word)) if isinstance(word, WideInteger) else None


@extending.intrinsic
def pick_bit(typing_context: Any, word: Any, number: Any) -> Any:
    """Implement `jit.bit_of` by a shift of 64 bits, which LLVM can vectorise."""

    def generate(context: Any, builder: Any, signature: Any, values: list[Any]) -> Any:
        whole, place = values
        limb = builder.trunc(whole, LIMB)
        for shift in range(LIMB_BITS, word.bits, LIMB_BITS):
            another = builder.trunc(builder.lshr(whole, llvm(word)(shift)), LIMB)
            reached = builder.icmp_signed(">=", place, LIMB(shift))
            limb = builder.select(reached, another, limb)
        moved = builder.lshr(limb, builder.and_(place, LIMB(LIMB_BITS - 1)))
        return builder.and_(moved, LIMB(1))

    return types.int64(word, types.int64), generate


@extending.overload(bit_of, strict=False)
def bit_of_wide(word: Any, number: Any) -> Any:
    """Make Numba compile `envs.compiled.jit.bit_of`."""
    return (lambda word, number: pick_bit(word, number)) if isinstance(word, WideInteger) else None
