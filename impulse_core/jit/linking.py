"""Puts kernels together: each is translated alone, LLVM optimises them once, where Python calls.

Numba by itself optimises a function with all it calls, makes machine code of it, and hands the
result to each caller, which does both again. Here a function that only kernels call is no more
than translated; an entry point links what it calls and has that optimised in one piece, in which
LLVM sees every caller of a function. LLVM's passes over functions that nothing has simplified yet
are left out, since those over the whole do the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import llvmlite.binding as ll
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher
from numba.core.types import unliteral

from impulse_core.jit.deferred import note_calls

__all__ = [
    "ArrayCompiler",
    "EntryCompiler",
    "InnerCompiler",
    "KernelDispatcher",
    "reduced",
    "restored",
]

_UNUSED = {
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.WithLifting,
    typed_passes.DumpParforDiagnostics,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
}


class _Library(JITCodeLibrary):
    """Code of one kernel and what it calls, as the compiler left it.

    Attributes:
        calls: Which deferred kernels it calls, as ``deferred.py`` names them.
    """

    def __init__(self, codegen: Any, name: str, target: Any) -> None:
        super().__init__(codegen, name)
        self._target = target
        self.calls: dict[bytes, None] = {}

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _defined(self) -> set[str]:
        return {f.name for f in self._final_module.functions if not f.is_declaration}


class _InnerLibrary(_Library):
    """Of a kernel that only kernels call: to be linked, neither optimised nor run."""

    def finalize(self) -> None:
        self._shared_module = self._final_module
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Of an entry for Python, which there is none of."""
        del name
        return 0

    @property
    def codegen(self) -> Any:
        """Where Numba asks for a variable to be set that only such an entry reads."""
        return _NothingToSet


class _NothingToSet:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        pass


class _EntryLibrary(_Library):
    """Of a kernel that Python calls, with all it calls: optimised, and made machine code."""

    def finalize(self) -> None:
        self._entries = self._defined()
        for library in self._linking_libraries:  # which grows meanwhile
            if isinstance(library, _InnerLibrary):
                known = set(self._linking_libraries)
                new = dict.fromkeys(library._linking_libraries)
                self._linking_libraries.extend(lib for lib in new if lib not in known)
                self.calls |= library.calls
        note_calls(self.calls)
        super().finalize()

    def _optimize_final_module(self) -> None:
        for name in self._defined() - self._entries:
            self._final_module.get_function(name).linkage = "internal"
        super()._optimize_final_module()


class _KernelCompiler(Compiler):
    library_class: type[_Library]

    def define_pipelines(self) -> Any:
        state = self.state
        name, target = state.func_id.func_qualname, state.targetctx
        state.library = self.library_class(target.codegen(), name, target)
        state.library.enable_object_caching()
        return self._passes()

    def _passes(self) -> Any:
        return super().define_pipelines()


class _StepCompiler(_KernelCompiler):
    """Without those of Numba's passes that have nothing to do in the kernels of a step, which
    define no functions, make no arrays and unroll nothing: they take a tenth of a compilation.
    """

    def _passes(self) -> Any:
        manager = PassManager("impulse")
        manager.passes = [
            (each, why)
            for each, why in DefaultPassBuilder.define_nopython_pipeline(self.state).passes
            if each not in _UNUSED
        ]
        manager.finalize()
        return [manager]


class KernelDispatcher(CPUDispatcher):
    """Numba's dispatcher, which compiles a function for numbers, not for each constant that a
    caller hands on: LLVM sees those where it inlines. It remembers what callers are to call.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What a caller with arguments of these types is to call."""
        plain = tuple(unliteral(each) for each in args)
        call = (plain, tuple(sorted(kws.items())))
        found = self._found.get(call)
        if found is None:
            found = self._found[call] = super().get_call_template(plain, kws)
        return found

    @cached_property
    def _found(self) -> dict[Any, Any]:
        return {}


class ArrayCompiler(_KernelCompiler):
    """Numba's compiler, for functions that Python calls and that make arrays."""

    library_class = _EntryLibrary


class InnerCompiler(_StepCompiler):
    """Numba's compiler, for functions that only kernels call. What it makes is not cached: who
    calls it is.
    """

    library_class = _InnerLibrary


class EntryCompiler(_StepCompiler):
    """Numba's compiler, for functions that Python calls."""

    library_class = _EntryLibrary


class _KeptLibrary(JITCodeLibrary):
    """Machine code from disk. Its LLVM code is parsed only if a caller is compiled and links it,
    which half of the time of loading would go to.
    """

    def load(self, machine_code: bytes, bitcode: bytes, symbols: list[str]) -> None:
        """Make the functions of the library callable."""
        self._bitcode = bitcode
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        self._codegen._engine._defined_symbols.update(symbols)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = ll.parse_bitcode(self._bitcode)
        return self._shared_module


def reduced(kernel: Any) -> tuple[Any, ...]:
    """A compiled kernel as what can be pickled; ``restored`` makes a kernel of it again."""
    (name, _, (machine_code, bitcode)), *rest = kernel._reduce()
    module = kernel.library._get_module_for_linking()
    values = [*module.functions, *module.global_variables]
    symbols = [value.name for value in values if not value.is_declaration]
    return (name, list(kernel.library.calls), machine_code, bitcode, symbols), *rest


def restored(target: Any, kept: tuple[Any, ...]) -> Any:
    """The kernel that ``reduced`` took apart, as Numba's ``CompileResult._rebuild`` does it."""
    (
        (name, calls, *code),
        fndesc,
        environment,
        signature,
        objectmode,
        lifted,
        types,
        inits,
        referenced,
    ) = kept
    for init in inits:
        init()
    library = _KeptLibrary(target.codegen(), name)
    library.load(*code)
    note_calls(calls)
    result: Any = CompileResult  # a named tuple whose fields mypy does not see
    kernel = result(
        target_context=target,
        typing_context=target.typing_context,
        library=library,
        environment=environment,
        entry_point=target.get_executable(library, fndesc, environment),
        fndesc=fndesc,
        type_annotation=types,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=inits,
        referenced_envs=referenced,
    )
    for each in referenced:
        library.codegen.set_env(each.env_name, each)
    return kernel
