"""Kernels that are compiled when they are first called, and by a second process meanwhile."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.jit import beside, deferred
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"

KERNELS = """
from impulse_core.jit import deferred_kernel, inner_kernel, kernel

@deferred_kernel("float64")
def half(x):
    return 0.5 * x

@deferred_kernel("int64", "boolean")
def both(n):
    return 2 * n, n > 3

@deferred_kernel("none")
def unknown(x):
    x.no_such_attribute()

@deferred_kernel("int64")
def wrong(x):
    return x

@inner_kernel
def of_both(n):
    doubled, large = both(n)
    return doubled if large else -doubled

@kernel
def fine(what, x):
    return half(x) if what == 0 else 1.0 * of_both(int(x))

@kernel
def calls(what, x):
    if what < 2:
        return fine(what, x)
    if what == 2:
        unknown(x)
    return 1.0 * wrong(x)
"""


@pytest.fixture
def run(tmp_path):
    """Runs Python with ``kernels`` to import and a cache of its own; what it prints, as JSON."""
    (tmp_path / "kernels.py").write_text(KERNELS)

    def run(code):
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + textwrap.dedent(code)
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"IMPULSE_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        return json.loads(done.stdout)

    return run


USE = """
    import json
    from impulse_core.jit.kernel_cache import kernels_compiled
    from kernels import calls
    counts, results = [], []
    for what, x in ((0, 3.0), (0, 5.0), (1, 2.0), (1, 4.0)):
        results.append(calls(what, x))
        counts.append(kernels_compiled())
    print(json.dumps([results, counts]))
"""


def test_a_kernel_is_compiled_when_it_is_first_called(run):
    """First the caller and ``half``, later ``both``; in another process nothing."""
    results = [1.5, 2.5, -4.0, 8.0]
    assert run(USE) == [results, [2, 2, 3, 3]]
    assert run(USE) == [results, [0, 0, 0, 0]]


def test_what_keeps_a_kernel_from_being_compiled_is_raised(run):
    """The caller ends with the error of the compiler, again and again, and others still work."""
    said = run("""
        import json
        from kernels import calls
        said = []
        for what in (2, 3, 2):
            try:
                calls(what, 1.0)
            except Exception as error:
                said.append([type(error).__name__, str(error)])
        print(json.dumps([said, calls(0, 3.0)]))
    """)
    (first, wrong, again), result = said
    assert first[0] == again[0] == "TypingError"
    assert "no_such_attribute" in first[1]
    assert wrong == ["TypeError", "wrong returns float64, not int64."]
    assert result == 1.5


def test_all_that_kernels_call_can_be_compiled_beforehand(run):
    """As it is for wheels: of what has been compiled, and what was found on disk."""
    compiled = """
        import json
        from impulse_core.jit.deferred import complete, known_calls
        from impulse_core.jit.kernel_cache import kernels_compiled
        from kernels import fine
        fine(0, 3.0)
        complete()
        print(json.dumps([len(known_calls()), kernels_compiled()]))
    """
    assert run(compiled) == [2, 3]
    assert run(compiled) == [2, 0]


BESIDE = """
    import json, os
    from impulse_core.jit import beside
    from impulse_core.jit.kernel_cache import kernels_compiled
    from kernels import both, calls, half
    {set_up}
    beside._has_idle_processor = lambda: True
    asked = []
    def wanted():
        asked.append(True)
        return [(both, (1,)), (half, (1.0,))]
    with beside.compiled_beside(wanted):
        results = [calls(0, 3.0), calls(1, 4.0)]
    print(json.dumps([results, len(asked)]))
"""


@pytest.mark.parametrize(
    "set_up",
    [
        "",
        "beside._CHILD = 'import sys; sys.exit(3)'",  # it ends at once
        "beside._CHILD = beside._CHILD + '; import time; time.sleep(600)'",  # it never ends
        "beside._CHILD = 'print(0, flush=True); print(1, flush=True)'",  # it promises in vain
    ],
)
def test_another_process_compiles_meanwhile(run, set_up):
    """Whatever becomes of it, the results are the same; it is not asked for where nothing is
    missing.
    """
    code = BESIDE.format(set_up=set_up)
    assert run(code) == [[1.5, 8.0], 1]
    assert run(code) == [[1.5, 8.0], 0]


def test_what_others_compile_is_left_out(monkeypatch):
    """The process compiles in order, says which it begins, and takes what nobody else has begun."""
    done, begun, heard = [], [], threading.Event()

    class Input:
        lines = iter([*(call.hex() + "\n" for call in (b"a", b"b", b"c")), "\n"])

        def readline(self):
            return next(self.lines)

        def __iter__(self):
            yield "1\n"
            heard.set()
            threading.Event().wait()  # nothing more is said

    def compile_all(calls):
        heard.wait()
        done.extend(calls)

    monkeypatch.setattr(beside, "compile_all", compile_all)
    monkeypatch.setattr(beside, "print", lambda number, **_: begun.append(number), raising=False)
    monkeypatch.setattr(beside.sys, "stdin", Input())
    beside.main()
    assert (begun, done) == ([0, 2], [b"a", b"c"])


@pytest.mark.parametrize(
    "name",
    [
        "walking/walking-machine",
        "trees/tree-127",
        "contact/tower-10",
        "trials/bouncing-slider",
        "mechanisms/four-bar",
    ],
)
def test_calls_of_a_step_are_those_that_it_makes(name):
    """What is compiled beside a first run is asked for by its steps, with the same types."""
    compiled = compile_scene(ic.load_scene(SAMPLES / f"{name}.xml"))
    engine = Engine(compiled, choose_options(compiled))
    engine.advance(engine.options.step, 1)

    foreseen = {
        pickle.loads(deferred.call_of(kernel, deferred.types_of(arguments)))
        for kernel, arguments in engine.runner.calls_of_step(engine.state, engine.tally)
    }

    assert len(foreseen) >= 2
    # what was read from disk was written by another process, in other bytes
    assert foreseen <= {pickle.loads(call) for call in deferred.known_calls()}
