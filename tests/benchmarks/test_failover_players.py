"""The benchmark of a failover counts the players who are back, not their logins."""

from tests.benchmarks.failover_players import Comeback


def test_second_login_stands_for_nobody_else():
    comeback = Comeback()
    comeback.begin(set(), {b"ann", b"bob"})
    comeback.note_login(b"ann")
    comeback.note_login(b"ann")
    assert comeback.away == {b"bob"}
    comeback.note_login(b"bob")
    assert not comeback.away


def test_player_who_has_lost_the_connection_again_is_away():
    comeback = Comeback()
    comeback.begin(set(), {b"ann"})
    comeback.note_login(b"ann")
    comeback.note_loss(b"ann")
    assert comeback.away == {b"ann"}


def test_login_before_the_fault_does_not_count():
    comeback = Comeback()
    comeback.note_login(b"ann")
    comeback.begin(set(), {b"ann"})
    assert comeback.away == {b"ann"}
    assert not comeback.logins_s
