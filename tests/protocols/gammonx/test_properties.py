"""Properties: every call is completed whatever is sent."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.journal.snapshot import digest
from tests.protocols.gammonx.calls import CALLS
from tests.support.examples import JSON, examples
from tests.support.gammonx_client import ANN, BOB, Hub


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
