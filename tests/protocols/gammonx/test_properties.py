"""Properties: bytes may be cut anywhere, and every call is completed whatever is sent."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.gammonx_client import ANN, Hub
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


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 40), 1 << 40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
