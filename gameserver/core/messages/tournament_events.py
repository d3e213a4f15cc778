"""What the lobby tells of tournaments. Part of `gameserver.core.messages.events`."""

from attrs import frozen

from gameserver.core.state.tournament import TournamentRow


@frozen
class TournamentsShown:
    """The answer to `ShowTournaments`; `now_ms` is the time on the server's axis.

    The rows are the lobby's own, seeds and all: `gameserver.exports.tournament_report` makes of them what may be shown.
    """

    rows: tuple[TournamentRow, ...]
    now_ms: int
