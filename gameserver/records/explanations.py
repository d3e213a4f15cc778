"""Explains an end in a few lines from the record: how a match was lost other than by play, or a pairing decided.

Written for a teacher with a student at the desk: the rule, the times of the events, and what the server and the network
did meanwhile; who did not come, and what was ruled. Times count from the start of the match.
"""

from collections.abc import Iterator, Sequence

from gameserver.core.events import By, EndReason
from gameserver.core.match import AFTER_RESTART
from gameserver.records.match_record import (
    GameRecord,
    LapseRecord,
    MatchRecord,
    MoveRecord,
    RestartRecord,
    SeatRecord,
    SeatResult,
)
from gameserver.records.tournament_record import NoShowRecord, TournamentRecord, row_of
from gameserver.tournaments.knockout import round_name
from gameserver.tournaments.model import Entrant, Pairing
from gameserver.tournaments.view import result_lines

# By judgement: with an eighth of the bank left, a player has to hurry.
_NEARLY_EMPTY_PART = 8
_RULES = {
    EndReason.LATE: "a move counts if its bytes are read by the deadline of the turn and the margin after it",
    EndReason.ILLEGAL: "in a match of this kind an illegal move loses",
    EndReason.DROPPED: "a player who is disconnected for longer than the match allows loses",
}
_BANK_RULE = (
    "the bank is for all turns of a player together: when it is used up, and the margin after it, the match is lost"
)
_LOST = {
    EndReason.LATE: "lost on time",
    EndReason.ILLEGAL: "lost by an illegal move",
    EndReason.DROPPED: "lost because the connection broke",
    EndReason.RESIGNED: "resigned",
}


def blame(record: MatchRecord) -> tuple[str, ...]:
    """Explains how a match on record and each of its games ended, with the restarts of the server during it."""
    players = " - ".join(seat.player for seat in record.seats)
    restarts = (_restart(record, one) for one in record.restarts)
    return (_head(record, players), *restarts, *_loss_lines(record, with_network=True))


def explanation(record: MatchRecord) -> tuple[str, ...]:
    """Explains to everybody why a player lost a match by other means than play; empty if nobody did.

    Lines that begin with a blank belong to the one before.

    The player's network is left out: it is private evidence for a dispute, for `blame`.
    """
    reasons = (record.reason, *(game.reason for game in record.games))
    is_plain = all(reason == EndReason.PLAYED for reason in reasons)
    if is_plain and not any(move.by == By.SERVER for move in record.moves):
        return ()
    return tuple(_loss_lines(record, with_network=False))


def _head(record: MatchRecord, players: str) -> str:
    return f"match {record.match}, {record.game}: {players}, opened {record.opened_at}, ended {record.ended_at}"


def _restart(record: MatchRecord, restart: RestartRecord) -> str:
    """The time of a restart, which stands between two moves, as no clock ran meanwhile."""
    at_ms = restart.at_ms - record.opened_ms
    before = [move.number for move in record.moves if move.at_ms <= at_ms]
    where = f"after move {before[-1]}" if before else "before the first move"
    return (
        f"the server was started again {_at(at_ms)}, {where}: its last decision before was at "
        f"{restart.last_decision_at}, it was up again at {restart.up_at}, {restart.away_ms / 1000:.1f} s later; "
        "that time is charged to nobody"
    )


def _loss_lines(record: MatchRecord, *, with_network: bool) -> Iterator[str]:
    if record.reason in {EndReason.VOID, EndReason.ABANDONED}:
        yield f"nobody lost, the match is {record.reason}: {record.why or 'its player left'}"
    for game in record.games:
        yield from _game(record, game, with_network=with_network)
    last = record.games[-1].reason if record.games else None
    if record.reason != last and record.reason in _LOST:
        loser = next((seat for seat in record.seats if seat.result is SeatResult.LOSS), None)
        who = "nobody" if loser is None else loser.player
        why = f": {record.why}" if record.why else ""
        began = "between two games" if record.games else "before the first game"
        yield f"{who} {_LOST[EndReason(record.reason)]} {began}{why}"
    yield from (_overtaken(record, move) for move in record.moves if move.by == By.SERVER)


def _game(record: MatchRecord, game: GameRecord, *, with_network: bool) -> Iterator[str]:
    where = f"game {game.number}, {game.game}" if len(record.games) > 1 else "the game"
    if game.by is None or game.reason not in _LOST:
        winners = " and ".join(record.seats[seat].player for seat in game.winners)
        ended = "was played to its end" if game.reason == EndReason.PLAYED else f"ended {game.reason}"
        yield f"{where} {ended}: {f'{winners} won' if winners else 'a draw'}"
        return
    reason, loser = EndReason(game.reason), record.seats[game.by]
    yield f"{where}: {loser.player} {_LOST[reason]}{'' if game.winners else ', like everybody else'}"
    is_bank = game.lapse is not None and game.lapse.is_bank
    if reason in _RULES:
        yield f"  rule: {_BANK_RULE if is_bank else _RULES[reason]}"
    if game.lapse is not None:
        yield from _lapse(record, game.lapse)
    if game.lapse is not None and is_bank:
        yield f"  {_bank(record, loser, game.lapse)}"
    elif game.why:
        said = "the connection ended: " if reason is EndReason.DROPPED else ""
        yield f"  {said}{game.why}"
        # After a restart the text protocol tells all moves again, the player's own ones too.
        if game.why.startswith(AFTER_RESTART):
            yield (
                "  after a restart all moves are told again, also the player's own: a client that skips those has a "
                "wrong board; the loss stands unless a teacher has the game played again"
            )
    before = [move for move in record.moves if move.game == game.number]
    if before and game.lapse is None:
        yield f"  the move before it, {before[-1].move!r}, was decided {_at(before[-1].at_ms)}"
    if reason in _RULES and with_network:
        yield f"  {_network(loser)}"


def _lapse(record: MatchRecord, lapse: LapseRecord) -> Iterator[str]:
    last_ms = lapse.deadline_ms + lapse.margin_ms
    limit_ms = record.time_control.turn_time_ms
    limit = "" if limit_ms is None else f" of {limit_ms / 1000:g} s"
    end = "the bank was used up" if lapse.is_bank else "its deadline was"
    yield (
        f"  the turn{limit} began {_at(lapse.began_ms)}, {end} {_at(lapse.deadline_ms)}, "
        f"and with the margin of {lapse.margin_ms} ms a move counted until {_time(last_ms)}"
    )
    if lapse.read_ms is None:
        yield f"  no move had been read by {_time(lapse.decided_ms)}, when the loss was decided"
    else:
        yield f"  a move was read {_at(lapse.read_ms)}, {lapse.read_ms - last_ms} ms too late"
    yield f"  the server stood still for {lapse.stall_ms} ms of that turn, which is charged to nobody"


def _bank(record: MatchRecord, loser: SeatRecord, lapse: LapseRecord) -> str:
    """The course of a bank that was used up: what went before it was nearly empty, and what was left for the rest."""
    clock = record.time_control
    # The last move of each turn, by the beginning of the turn: what is left then has the increment already.
    turns = {
        move.turn_began_ms: (move.number, move.bank_ms)
        for move in record.moves
        if move.seat == loser.seat and move.bank_ms is not None and move.turn_began_ms != lapse.began_ms
    }
    if not turns:
        return f"{loser.player} used up the bank of {clock.bank_text} on the first turn"
    after = list(turns.values())
    nearly_ms = clock.full_bank_ms // _NEARLY_EMPTY_PART
    last = next((index for index, (_, left_ms) in enumerate(after) if left_ms < nearly_ms), len(after) - 1)
    number, left_ms = after[last]
    used_ms = clock.full_bank_ms + (last + 1) * clock.increment_ms - left_ms
    rest = len(after) - last
    moves = f"moves {after[0][0]}-{number}" if last else f"move {number}"
    return (
        f"{loser.player} used {_span(used_ms)} of the bank of {clock.bank_text} on {moves}, "
        f"{_span(left_ms)} were left for {rest} {'turn' if rest == 1 else 'turns'}"
    )


def _span(ms: int) -> str:
    return f"{ms // 60_000}:{ms // 1000 % 60:02}" if ms >= 60_000 else f"{ms / 1000:.3g} s"


def _overtaken(record: MatchRecord, move: MoveRecord) -> str:
    player = "chance" if move.seat is None else record.seats[move.seat].player
    return f"move {move.number}, {move.move}, was made {_at(move.at_ms)} in the place of {player}, who was late"


def _network(seat: SeatRecord) -> str:
    if seat.round_trip_us is None or seat.round_trip_deviation_us is None:
        return f"the round trip to {seat.player} was not measured"
    return (
        f"the round trip to {seat.player} took {seat.round_trip_us / 1000:.1f} ms "
        f"± {seat.round_trip_deviation_us / 1000:.1f} at the end, {seat.segments_resent} segments were retransmitted"
    )


def _at(at_ms: int) -> str:
    return f"at {_time(at_ms)}"


def _time(at_ms: int) -> str:
    return f"+{at_ms / 1000:.3f} s"


def explain_pairing(record: TournamentRecord, number: int, no_shows: Sequence[NoShowRecord]) -> tuple[str, ...]:
    """Explains from the record how a tournament's pairing was decided, in lines; empty if there is no such pairing.

    `no_shows` are those of the tournament.
    """
    pairing = next((one for one in record.pairings if one.number == number), None)
    return () if pairing is None else tuple(_pairing_lines(record, pairing, no_shows))


def explain_no_shows(record: TournamentRecord, no_shows: Sequence[NoShowRecord]) -> tuple[str, ...]:
    """Explains from the record each pairing decided as a player was away or out, and each withdrawal."""
    chosen = [one for one in record.pairings if one.absent or one.walkover]
    out = [one for one in record.entrants or () if one.is_out]
    if not chosen and not out:
        return (f"nobody missed a match of {record.name} (tournament {record.tournament})",)
    lines = [line for pairing in chosen for line in _pairing_lines(record, pairing, no_shows)]
    return (*lines, *(line for entrant in out for line in _of_withdrawal(record, entrant)))


def _of_withdrawal(record: TournamentRecord, entrant: Entrant) -> Iterator[str]:
    """A player who is out: by whose decision, and the games that count though nobody announced them."""
    name = entrant.name
    said = [one for _, one in record.rulings if (one.player, one.what) == (name, entrant.status)]
    by = f" by {said[-1].by}{f': {said[-1].why}' if said[-1].why else ''}" if said else ""
    yield f"{name} is out of {record.name} (tournament {record.tournament}), {entrant.status}{by}"
    for line in result_lines(row_of(record).state):
        if line.kind == "owed" and name in line.players:
            results = zip(line.players, line.results, strict=True)
            both = " - ".join(f"{player} ({result})" for player, result in results)
            yield f"  a game that was never announced counts: {both}"


def _pairing_lines(record: TournamentRecord, pairing: Pairing, no_shows: Sequence[NoShowRecord]) -> Iterator[str]:
    verdict = "" if pairing.verdict is None else f", result: {pairing.verdict}"
    players = " - ".join(pairing.seats)
    name = round_name(row_of(record).state, pairing)
    where = f", {name}" if name else ""
    yield (
        f"pairing {pairing.number} of {record.name} (tournament {record.tournament}){where}: "
        f"{players}, {pairing.status}{verdict}"
    )
    if pairing.match:
        yield f"  it was match {pairing.match}, which `gameserver blame {pairing.match}` explains"
    if pairing.walkover:
        standings = {one.name: one.status for one in record.entrants or ()}
        out = ", ".join(f"{name} ({standings.get(name, 'gone')})" for name in pairing.seats if _is_out(record, name))
        yield f"  no game was played, because a player was out: {out or 'by now let in again'}"
    if pairing.reason:
        yield f"  reason: {pairing.reason}"
    # A corrected result has no absent player any more, but the no-show was there.
    known = [one for one in reversed(no_shows) if one.decided.pairing == pairing.number]
    for one in known:
        yield from (f"  {line.strip()}" for line in one.lines)
    for _, ruling in record.rulings:
        if ruling.pairing == pairing.number or (ruling.player and ruling.player in pairing.seats):
            who = f" ({ruling.player})" if ruling.player else ""
            yield f"  ruling: {ruling.what}{who}, by {ruling.by}{f': {ruling.why}' if ruling.why else ''}"


def _is_out(record: TournamentRecord, name: str) -> bool:
    return any(one.name == name and one.is_out for one in record.entrants or ())
