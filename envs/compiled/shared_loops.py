"""Kernels whose loop Numba's threads share."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from envs.compiled.jit import KIND, OPTIONS, ingredient_class, jit

Function = TypeVar("Function", bound=Callable[..., Any])


def jit_parallel(function: Function) -> Function:
    """Like `jit`, for a function whose loop over `parallel_range` is shared by threads.

    The threads are Numba's; `numba.set_num_threads` limits their number.
    """
    vars(jit(function)).update({KIND: "jit_parallel", OPTIONS: _sharing_options})
    return function


@lru_cache(maxsize=1)
def _sharing_options() -> dict[str, Any]:
    """Return the options that compile a shared loop with its body optimised once.

    Numba makes a function of the loop's body, one that calls it for a thread's share, and one that
    starts the threads. Only the last is called from elsewhere, but by default Numba optimises the
    body in each of them and emits machine code for each.
    """
    options: dict[str, Any] = {"parallel": True}
    try:
        from numba.core.compiler import Compiler
        from numba.core.compiler_machinery import register_pass
        from numba.core.typed_passes import NativeParforLowering

        ingredient = ingredient_class()
    except ImportError:
        return options
    compiler_base: Any = Compiler
    lowering_base: Any = NativeParforLowering
    as_pass: Any = register_pass

    @as_pass(mutates_CFG=True, analysis_only=False)
    class SharedLoopLowering(lowering_base):  # type: ignore[misc]
        _name = "shared_loop_lowering"

        def run_pass(self, state: Any) -> Any:
            """Lower a function, with ingredients as the libraries of its loops."""
            codegen = state.targetctx.codegen()
            create = codegen.create_library

            def create_library(name: str, **others: Any) -> Any:
                is_of_loop = "gufunc" in name.lower()
                return ingredient(codegen, name) if is_of_loop else create(name, **others)

            codegen.create_library = create_library
            try:
                return super().run_pass(state)
            finally:
                del codegen.create_library

    class SharedLoopCompiler(compiler_base):  # type: ignore[misc]
        def define_pipelines(self) -> Any:
            """Numba's passes, with the lowering above in place of its own."""
            pipelines = super().define_pipelines()
            for pipeline in pipelines:
                pipeline.passes = [
                    (SharedLoopLowering if step is NativeParforLowering else step, description)
                    for step, description in pipeline.passes
                ]
            return pipelines

    return {**options, "pipeline_class": SharedLoopCompiler}
