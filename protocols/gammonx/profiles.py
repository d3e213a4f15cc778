"""The two generations of the protocol, as data.

`document` is what was written down in September 2025: both players start a game, and the first player rolls.
`2026` is what the original server made of it by June 2026: both start the match, for which a die each
is rolled; the higher one plays them both at once. Later games are as they were.
"""

from collections.abc import Mapping

from gameserver.values import value
from protocols.gammonx.hub_methods import COMMANDS, LATER_COMMANDS
from protocols.gammonx.refusals import LATER_WORDINGS, WORDINGS, Wording
from protocols.gammonx.schema import Commands


@value
class Profile:
    """One generation."""

    name: str
    prefix: str
    """The beginning of its paths."""
    opens_with_dice: bool
    """True if a match is begun by `StartMatch`, and its first game by the dice that decide who starts."""
    polls: bool
    """True if a join answers no match id: the client asks for it."""
    before_match: str
    """The event that tells both that they are to begin the match."""
    waiting_for_match: str
    """The event for the player who has started the match while the opponent has not."""
    allowed_after_error: Commands
    commands: tuple[type, ...]
    """The hub's methods."""
    tells_at_connecting: bool
    """True if a connection that names its match is told at once the state of its search, or that there is none."""
    always_maps_moves: bool
    """True if black is told moves on its own board whatever the options say."""
    wordings: Mapping[type, Wording]
    names_the_unlisted: bool
    """True if a method that is not for now is refused as not listed, not in words of its own."""
    already_searching: str
    unknown_modus: str | None
    """Texts of the REST part; None for one that says what there is."""


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            name="document",
            prefix="",
            opens_with_dice=False,
            polls=False,
            before_match="match-started",
            waiting_for_match="game-waiting",
            allowed_after_error=(),
            commands=COMMANDS,
            tells_at_connecting=False,
            always_maps_moves=False,
            wordings=WORDINGS,
            names_the_unlisted=False,
            already_searching="Already part of the match lobby queue",
            unknown_modus=None,
        ),
        Profile(
            name="2026",
            prefix="/game",
            opens_with_dice=True,
            polls=True,
            before_match="match-waiting-for-start",
            waiting_for_match="match-waiting",
            allowed_after_error=("GameState", "MatchState"),
            commands=LATER_COMMANDS,
            tells_at_connecting=True,
            always_maps_moves=True,
            wordings=LATER_WORDINGS,
            names_the_unlisted=True,
            already_searching="Player '{player}' is already part of a match lobby queue",
            unknown_modus="Cannot join a match for a unknown modus.",
        ),
    )
}
"""By name; the first is the default."""
