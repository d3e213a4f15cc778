"""A link opens the page of the player who was given it: nobody else's, and not for ever."""

from hypothesis import given
from hypothesis import strategies as st

from gameserver.read_model.views import Owner
from gameserver.wire_log.owner_access import LIVES_S, OwnLinks

OWNERS = st.builds(Owner, st.text(min_size=1), st.none() | st.integers(0), st.integers(0))


def links(key: bytes = b"key", now_s: float = 600.5) -> OwnLinks:
    return OwnLinks(key, lambda: now_s)


@given(OWNERS)
def test_a_link_tells_who_was_given_it(owner: Owner) -> None:
    token = links().token_of(owner)
    assert links().owner_of(token) == owner
    assert token.replace("-", "").replace("_", "").isalnum(), "it stands in a URL as it is"


@given(OWNERS, st.data())
def test_a_changed_link_opens_nothing(owner: Owner, data: st.DataObject) -> None:
    token = links().token_of(owner)
    at = data.draw(st.integers(0, len(token) - 2))  # the last letter has bits to spare
    letter = data.draw(st.characters(codec="ascii").filter(lambda one: one != token[at]))
    assert links().owner_of(token[:at] + letter + token[at + 1 :]) is None


@given(st.text())
def test_no_text_at_all_is_an_error(text: str) -> None:
    assert links().owner_of(text) is None


def test_another_start_of_the_server_gave_other_links() -> None:
    assert links(b"other").owner_of(links().token_of(Owner("ann"))) is None


def test_a_link_gets_old() -> None:
    token = links().token_of(Owner("ann"))
    assert links(now_s=600 + LIVES_S - 1).owner_of(token) == Owner("ann")
    assert links(now_s=600 + LIVES_S).owner_of(token) is None
