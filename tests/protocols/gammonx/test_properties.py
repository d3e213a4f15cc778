"""Properties: bytes may be cut anywhere, and every call is completed whatever is sent."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.journal.snapshot import digest
from tests.protocols.gammonx.calls import CALLS
from tests.support.examples import JSON, examples
from tests.support.gammonx_client import ANN, BOB, Hub
from tests.support.signalr_client import call


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_how_bytes_are_cut_makes_no_difference(data):
    script = [("JoinMatch", ANN), ("GameState",), ("Nope",), ("Roll",), ("JoinMatch", ANN), ("Move", "x", 3)]

    def said(cuts):
        hub = Hub()
        ann = hub.connect(ANN, hub.book(ANN))
        stream = b"".join(call(name, ann.match_id, *rest, id=str(index)) for index, (name, *rest) in enumerate(script))
        ends = [0, *cuts, len(stream)]
        for start, end in pairwise(ends):
            ann.receive(stream[start:end])
        return bytes(ann.said)

    cuts = sorted(data.draw(st.lists(st.integers(0, 700), max_size=12)))
    assert said(cuts) == said([])


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*CALLS, "JoinMatch", "Nope"]), st.lists(JSON, max_size=4)), max_size=8))
def test_whatever_is_sent_every_call_is_completed(calls):
    hub = Hub()
    ann = hub.join(ANN)
    hub.join(BOB)
    before = digest(hub.harness.lobby)
    for name, arguments in calls:
        ann.invoke(name, *arguments)
        if arguments:
            ann.ask(name, *arguments[1:])
        assert ann.ended is None
    wanted = {name for name, arguments in calls if len(arguments) == 1}
    if not wanted & {"StartGame", "ResignMatch"}:
        assert digest(hub.harness.lobby) == before
