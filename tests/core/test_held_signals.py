"""Signals that are held back: none is lost, and none acts where it does harm."""

from __future__ import annotations

import itertools
import signal
import weakref

import pytest

from impulse_core.simulation.interrupts import HeldSignals


@pytest.fixture(autouse=True)
def handlers():
    """Handlers that raise, as those of the command line do, also where tests ignore Ctrl-C."""

    def interrupt(number, frame):
        raise KeyboardInterrupt(number)

    before = [signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)]
    yield interrupt
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGTERM, before[1])


SIGNALS = (signal.SIGINT, signal.SIGTERM)


def swallow(number):
    """Raise a signal where Python prints what its handler raises, and goes on."""

    class Thing:
        pass

    thing = Thing()
    watched = weakref.ref(thing, lambda _: signal.raise_signal(number))
    del thing
    assert watched() is None


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_got_lost_in_a_callback_is_raised_again(number):
    """Where signals act at once, one whose exception Python only prints acts at the end."""
    reached = []

    def load():
        with HeldSignals() as signals, signals.acting_at_once():
            swallow(number)
            reached.append("went on")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert reached == ["went on"]


@pytest.mark.parametrize("number", SIGNALS)
def test_acting_at_once(number):
    """Where signals act at once they raise where they arrive."""
    reached = []

    def load():
        with HeldSignals() as signals, signals.acting_at_once():
            signal.raise_signal(number)
            reached.append("went on")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert not reached


def test_a_patient_wait_is_not_cut_short(monkeypatch):
    """Where the frames are written, the same signal again waits as well."""
    monkeypatch.setattr("impulse_core.simulation.interrupts._PATIENCE", -1.0)
    with HeldSignals(is_patient=True) as signals:
        for number in SIGNALS * 3:
            signal.raise_signal(number)
        assert signals.drop()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # as it was before


MOMENTS = ["outer", "at once", "inner", "delivered", "after", "end"]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("moments", list(itertools.combinations(MOMENTS, 2)))
def test_one_within_another(number, depth, moments, handlers):
    """At whatever moments a signal comes: work that is under way is finished, and somebody learns
    of each signal, as an exception or as one that is still held.
    """
    done, caught, held = [], 0, False

    def moment(name):
        if name in moments:
            signal.raise_signal(number)

    with HeldSignals(is_patient=True) as outer:
        moment("outer")
        try:
            with outer.acting_at_once():
                moment("at once")
                done.append("loaded")
            caught += _nested(depth, moment, done)
        except KeyboardInterrupt:
            caught += 1
        moment("end")
        done.append("written")
        held = outer.drop()

    assert done[-1] == "written"
    assert caught or held
    assert ("loaded" in done) == ("at once" not in moments)
    assert signal.getsignal(number) is handlers


def _nested(depth, moment, done):
    """A simulation within ``depth`` blocks; how many signals ended it."""
    with HeldSignals() as signals:
        if depth > 1:
            return _nested(depth - 1, moment, done)
        try:
            moment("inner")
            done.append("frame")
            moment("delivered")
            signals.deliver()
        except KeyboardInterrupt:
            return 1
        finally:
            moment("after")
            done.append("recording")
    return 0
