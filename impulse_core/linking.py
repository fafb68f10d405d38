"""Puts kernels together: each is translated alone, LLVM optimises them once, where Python calls.

Numba by itself optimises a function with all it calls, makes machine code of it, and hands the
result to each caller, which does both again. Here a function that only kernels call is no more
than translated; an entry point links what it calls and has that optimised in one piece, in which
LLVM sees every caller of a function. So it also drops the arguments that a function does not use,
as most of those of a large tuple. Numba's passes over functions that nothing has simplified yet
are left out: in a large function, which holds a Model of hundreds of numbers in single values,
they take longer than all other optimisation together, and the passes over the whole do the same.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

__all__ = ["EntryCompiler", "InnerCompiler"]

_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of Numba's global variables for functions begin


class _Library(JITCodeLibrary):
    """Code of one kernel and what it calls, as the compiler left it."""

    def __init__(self, codegen: Any, name: str, target: Any) -> None:
        super().__init__(codegen, name)
        self._target = target

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _defined(self) -> set[str]:
        return {f.name for f in self._final_module.functions if not f.is_declaration}


class _Environments(_Library):
    """Global variables that Numba sets for a function, without the function."""

    def _optimize_final_module(self) -> None:
        pass


class _InnerLibrary(_Library):
    """Of a kernel that only kernels call: to be linked, neither optimised nor run."""

    def finalize(self) -> None:
        names = [gv.name for gv in self._final_module.global_variables]
        self._environments = _Environments(self._codegen, self.name, self._target)
        module = self._environments.create_ir_module(self.name)
        for name in names:
            if name.startswith(_ENVIRONMENT):
                self._target.declare_env_global(module, name)
        self._environments.add_ir_module(module)
        self._environments.finalize()
        self._shared_module = self._final_module
        self._finalized = True


class _EntryLibrary(_Library):
    """Of a kernel that Python calls, with all it calls: optimised, and made machine code."""

    def finalize(self) -> None:
        self._entries = self._defined()
        for library in self._linking_libraries:  # which grows meanwhile
            if isinstance(library, _InnerLibrary):
                known = set(self._linking_libraries)
                new = dict.fromkeys(library._linking_libraries)
                self._linking_libraries.extend(lib for lib in new if lib not in known)
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
        return super().define_pipelines()


class InnerCompiler(_KernelCompiler):
    """Numba's compiler, for functions that only kernels call. What it makes is not cached: who
    calls it is.
    """

    library_class = _InnerLibrary


class EntryCompiler(_KernelCompiler):
    """Numba's compiler, for functions that Python calls."""

    library_class = _EntryLibrary
