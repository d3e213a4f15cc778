"""A few inputs to each adapter; and that the fuzzer finds what it is to find."""

import pytest
import structlog

from gameserver.protocol import BrokenInput
from tests.fuzz import dialects
from tests.fuzz.guided import SEPARATOR, first_inputs, operations_of
from tests.fuzz.run import error_of, run, shrink
from tests.fuzz.server import Feed, Violation
from tests.fuzz.tasks import without_trio

INPUTS = 250


@pytest.fixture(autouse=True)
def quiet():
    with structlog.testing.capture_logs():
        yield


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("protocol", dialects.DIALECTS)
def test_adapters_live_through_it(protocol, seed):
    failure = run(protocol, seed, INPUTS)
    if failure is not None:
        raise failure.error


class Faulty:
    """An adapter with a fault of its own."""

    def __init__(self, adapter):
        self.adapter, self.kept, self.is_struck = adapter, [], False

    def __getattr__(self, name):
        return getattr(self.adapter, name)

    def receive(self, data, at_ms):
        self.struck(data)
        self.adapter.receive(data, at_ms)

    def struck(self, data):
        if b"\x00" in data:
            self.is_struck = True


class Raising(Faulty):
    def struck(self, data):
        if b"\x00" in data:
            raise KeyError("NUL")


class Silent(Faulty):
    def struck(self, data):
        if b"\x00" in data:
            raise BrokenInput("NUL")


class Hoarding(Faulty):
    def struck(self, data):
        self.kept.append(data)


class Deaf(Faulty):
    pending_bytes = 0

    def next(self):
        return None if self.is_struck else self.adapter.next()


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        (Raising, KeyError, "NUL"),
        (Silent, Violation, "without a word"),
        (Hoarding, Violation, "keeps"),
        (Deaf, Violation, "does not answer"),
    ],
)
def test_it_finds_what_is_planted(monkeypatch, fault, error, says):
    real = dialects.Strategic.adapter
    monkeypatch.setattr(dialects.Strategic, "adapter", lambda *given: fault(real(*given)))
    failures = (run("strategic", seed, INPUTS) for seed in range(40))
    failure = next(each for each in failures if each is not None)
    assert isinstance(failure.error, error)
    assert says in str(failure.error)
    if fault is not Hoarding:  # which takes as many as there are
        fewer = shrink(failure)
        assert len(fewer.operations) < 10
        assert any(isinstance(operation, Feed) for operation in fewer.operations)


@pytest.mark.parametrize("protocol", dialects.DIALECTS)
def test_guided_fuzzing_starts_from_conversations(protocol):
    """And whatever becomes of them is one too."""
    with without_trio():
        data = next(first_inputs(protocol))
    assert error_of(protocol, tuple(operations_of(data))) is None
    assert sum(isinstance(operation, Feed) for operation in operations_of(data)) > 10
    for what in range(0, 256, 5):
        assert error_of(protocol, tuple(operations_of(SEPARATOR + bytes([what]) + data[:50]))) is None
