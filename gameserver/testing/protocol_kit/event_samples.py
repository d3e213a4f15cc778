"""Events for the protocol kit: every kind that a client can be told of, in the order in which they may come."""

from gameserver.protocol import (
    BoardShown,
    By,
    ChallengeClosed,
    ChallengeOpened,
    Displaced,
    EndReason,
    Event,
    GameEnded,
    GamesListed,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MatchStanding,
    MovePlayed,
    MoveRefused,
    OwnDrawShown,
    PlayerShown,
    PlayersListed,
    RoomShown,
    RoomsListed,
    Said,
    SeatDropped,
    Seated,
    SeatReady,
    SeatReturned,
    TicketClosed,
    TicketShown,
    TicketStatus,
    TurnStarted,
    Unseated,
    UnseatedWhy,
    Why,
)

MATCH = 1


def before_a_match() -> tuple[Event, ...]:
    """The events about the lobby. A protocol may say these at any time."""
    rooms = (RoomShown(0, None), RoomShown(3, "bob"))
    return (
        PlayersListed((PlayerShown("ann", "strategic"), PlayerShown("house-random", "house", house=True))),
        GamesListed(("Reversi", "Tic-tac-toe")),
        RoomsListed(rooms),
        Seated(3, "bob"),
        Unseated(3, UnseatedWhy.OPPONENT_LEFT, rooms),
        TicketShown("t1", TicketStatus.WAITING, "Reversi"),
        TicketClosed("t1"),
        ChallengeOpened(3, "bob", "Reversi", 10_000),
        ChallengeClosed(3),
        Said("bob", "hello"),
        Displaced(),
    )


def of_a_match(game: str, options: object, moves: tuple[str, str], number: int | None) -> tuple[Event, ...]:
    """A match of two games from seat 0, won and lost; `moves` are two that the game can read, `number` the first's."""
    players = ("ann", "bob")
    own, other = (
        MovePlayed(MATCH, 0, "ann", moves[0], number, "a detail"),
        MovePlayed(MATCH, 1, "bob", moves[1], None, "", By.SERVER),
    )
    why = Why("the rule", 10_000, 250)
    return (
        MatchPaired(MATCH, game, options, players, 0, 10_000, ("", "")),
        SeatReady(MATCH, 1),
        OwnDrawShown(MATCH, 4),
        MatchOpened(MATCH, game, players, 0, 0, 10_000, 1, options),
        TurnStarted(MATCH, 0, (0,), "a prompt", 20_000),
        own,
        TurnStarted(MATCH, 1, (1,), "", None),
        other,
        SeatDropped(MATCH, 1, "bob", 30_000),
        SeatReturned(MATCH, 1, "bob"),
        MatchStanding(MATCH, game, players, 0, (0,), 5_000),
        BoardShown(MATCH, ("a b", "1 2")),
        MoveRefused(MATCH, 1, "bob", "nonsense", "there is no such cell"),
        GameEnded(MATCH, (1, -1), (0,), EndReason.ILLEGAL, 1, why=why),
        MatchEnded(MATCH, EndReason.ILLEGAL, (1, -1), (0,), 1),
        MatchShown(MATCH + 1, game, players, 1, 0, 10_000, (), 1, options),
        GameEnded(MATCH + 1, (0, 0), (), EndReason.VOID),
        MatchEnded(MATCH + 1, EndReason.VOID),
    )
