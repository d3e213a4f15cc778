"""Help for players of a line protocol: how the games are played."""

from games.backgammon.state import UNDOS_MAX
from games.backgammon.variants import Variant

_MOVING = (
    "Points are 24 to 1 as you count them, 1 the nearest to your exit; checkers move to lower points, then off.",
    "TURNMESSAGE has the dice first, then your checkers and the other side's, by your points.",
    "move 24/18 13/11   plays your dice; also 24 18 13 11, 24/13 (one checker, both dice), 13/11(2), bar/20, 6/off",
    "                   you may also play one die at a time; you are asked again until no die can be played",
    f"move undo          takes the last step of this turn back, at most {UNDOS_MAX} times",
    "move end           (or pass) when the dice cannot be played, so that both sides see it",
)
_ROLLING = ("The dice are rolled for you when your turn begins.",)
_CUBE_HELP = (
    "The dice are rolled for you when your turn begins, unless you may double: then you are asked first.",
    "move roll          rolls",
    "move double        offers to play for twice as much; the other side answers",
    "move take          (or accept) plays on for twice as much, and the next double is yours",
    "move drop          (or decline) gives the game up for what it was worth before",
)
_RESIGNING = (
    "forfeit            gives the game up. In a match between text players an illegal move costs the match, too."
)


def help_lines(variant: Variant) -> tuple[str, ...]:
    """The moves of a game, roll and cube included, a line each."""
    return (*_MOVING, *(_CUBE_HELP if variant.has_cube else _ROLLING), _RESIGNING)
