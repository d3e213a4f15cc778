"""A client that has lost its ids is told them again: by a proof, or from the address of the join."""

from gameserver.core.messages.commands import RecallTicket
from gameserver.core.messages.events import Accepted, Rejected, TicketShown, TicketStatus
from gameserver.core.messages.identity import Proof
from gameserver.core.messages.rejections import Code
from gameserver.policies import Rules, SeatReturn
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import GAMES, arrive, book, paired

ELSEWHERE = "10.9.9.9"
NOTHING = Rejected(Code.NO_SUCH_TICKET, {"ticket": ""})


def recalled(harness, who, address=ELSEWHERE, **more):
    """What is shown; None where it is as if there were nothing."""
    rows = len(harness.rows)
    answer = harness.do(RecallTicket(91, who, address, **more))
    assert len(harness.rows) == rows, "a question is in no journal"
    shown = [event for event in harness.hear(91) if isinstance(event, TicketShown)]
    assert answer == (Accepted() if shown else NOTHING)
    return shown[0] if shown else None


def test_a_search_is_told_to_the_address_of_the_join_and_to_the_token(harness):
    book(harness, "t1", "ann")
    expected = TicketShown("t1", TicketStatus.WAITING, "Hands")
    assert recalled(harness, "ann", "10.0.0.1") == expected
    assert recalled(harness, "ann", token="secret-t1") == expected
    assert recalled(harness, "ann", is_proven=True) == expected
    assert recalled(harness, "ann") is None
    assert recalled(harness, "bob", "10.0.0.1") is None, "there is none"


def test_a_seat_is_told_by_the_public_id(harness):
    paired(harness)
    expected = TicketShown("t2", TicketStatus.SEATED, "Hands", match=1, public_id="t1")
    assert recalled(harness, "bob", "10.0.0.1") == expected
    assert recalled(harness, "bob", token="secret-t2") == expected
    assert recalled(harness, "bob", token="secret-t1") is None, "the opponent's token"
    assert recalled(harness, "bob", "10.0.0.1", token="guessed") is None, "as for a seat, a wrong token opens nothing"


def test_where_a_claim_came_from_is_told_nothing(harness):
    book(harness, "t1", "ann")
    book(harness, "t2", "bob")
    arrive(harness, 1, "t1", "ann")
    assert arrive(harness, 2, "t1", "bob", address=ELSEWHERE) == Accepted()
    assert recalled(harness, "bob") is None
    assert recalled(harness, "bob", "10.0.0.1") is not None


def test_any_address_may_take_a_seat_by_its_id_but_is_not_told_the_id():
    harness = LobbyHarness(
        GAMES, Rules(first_move_pause_ms=0, tickets_share_ids=True, seat_return=SeatReturn.ANY_ADDRESS)
    )
    book(harness, "t1", "ann")
    assert recalled(harness, "ann") is None


def test_a_bound_player_is_told_by_a_proof_alone(harness):
    book(harness, "t1", "ann", standing=Proof.PROVEN)
    assert recalled(harness, "ann", "10.0.0.1") is None
    assert recalled(harness, "ann", token="secret-t1") is not None
