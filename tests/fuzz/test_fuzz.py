"""A few inputs to each adapter; and that the fuzzer finds what it is to find."""

import pytest

from gameserver.protocol import BrokenInput, Reply
from gameserver.wire_log.recording_adapter import PassingAdapter
from tests.fuzz.dialects import DIALECTS
from tests.fuzz.run import run, shrink
from tests.fuzz.world import FuzzedMachine

INPUTS = 250


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("protocol", DIALECTS)
def test_adapters_live_through_it(protocol, seed):
    failure = run(protocol, seed, INPUTS)
    if failure is not None:
        raise failure.error


class Faulty(PassingAdapter):
    """An adapter with a fault of its own, which a NUL brings out."""

    is_struck = False

    def receive(self, data, at_ms):
        self.is_struck = self.is_struck or b"\x00" in data
        if self.is_struck:
            self.strike(data)
        self.inner.receive(data, at_ms)

    def strike(self, data):
        pass


class Raising(Faulty):
    def strike(self, data):
        raise KeyError("NUL")


class Silent(Faulty):
    def strike(self, data):
        raise BrokenInput("NUL")


class Hoarding(Faulty):
    def strike(self, data):
        self.kept = [*getattr(self, "kept", ()), data]


class Deaf(Faulty):
    pending_bytes = 0

    def next(self):
        return None if self.is_struck else self.inner.next()


class Endless(Faulty):
    def next(self):
        return Reply(b"") if self.is_struck else self.inner.next()


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Raising, "the server makes no mistakes: adapter failed: KeyError('NUL')"),
        (Silent, "a connection is told why it is broken off"),
        (Hoarding, "a connection keeps little"),
        (Deaf, "every peer is answered"),
        (Endless, "an adapter comes to an end"),
    ],
)
def test_it_finds_what_is_planted(monkeypatch, fault, says):
    real = FuzzedMachine._around
    monkeypatch.setattr(FuzzedMachine, "_around", lambda self, adapter, *of: real(self, fault(adapter), *of))
    failures = (run("strategic", seed, INPUTS) for seed in range(40))
    failure = next(each for each in failures if each is not None)
    assert says in str(failure.error)
    if fault is Silent:
        fewer = shrink(failure).operations
        assert len(fewer) < 5
        assert any(operation.kind == "feed" for operation in fewer)
