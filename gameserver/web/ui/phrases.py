"""Sentences for people about results, moves and times."""

from collections.abc import Mapping, Sequence

from gameserver.read_model.views import ResultView, StepView

_BLAME: Mapping[str, str] = {
    "resigned": "{loser} resigned",
    "late": "{loser} ran out of time",
    "illegal move": "{loser} made an illegal move",
    "dropped": "{loser} lost the connection",
}

SEAT_NUMERALS = ("1", "2", "3", "4")


def result_sentence(result: ResultView, players: Sequence[str], ending: str = "") -> str:
    """The end of a match: `ann won: bob ran out of time`. `ending` is how the game was decided, in its own words."""
    if result.reason == "void":
        return f"Void, nobody lost: {result.why or 'the server was at fault'}"
    if result.reason == "abandoned":
        return "Abandoned, nobody lost"
    winners = " and ".join(players[seat] for seat in result.winners)
    outcome = f"{winners} won" if winners else "A draw"
    blame = _BLAME.get(result.reason)
    if blame is not None and result.by is not None:
        outcome += f": {blame.format(loser=players[result.by])}"
        if result.why and result.reason == "illegal move":
            outcome += f" ({result.why})"
    return ". ".join(filter(None, (outcome, result.reason_text, f"{ending[:1].upper()}{ending[1:]}")))


def has_score(points: Sequence[int]) -> bool:
    """True if the points of a match say more than who won it. `-1` before a dash reads as a part of a sum."""
    return sorted(points) != [-1, 1]


def short_result(result: ResultView, seat: int) -> str:
    """The result for a seat, in a word."""
    if result.reason in {"void", "abandoned"}:
        return result.reason
    if not result.winners:
        return "draw"
    return "won" if seat in result.winners else "lost"


def step_sentence(step: StepView, players: Sequence[str]) -> str:
    """A move or draw, in words."""
    if step.seat is None:
        return f"{step.noun}: {step.text}"
    by = " (by the server, in a late player's place)" if step.by == "server" else ""
    return f"{players[step.seat]} played {step.text}{by}"


_LOSSES: Mapping[str, str] = {
    "played": "beaten in play",
    "resigned": "resigned",
    "late": "out of time",
    "illegal move": "illegal move",
    "dropped": "lost connection",
}


def loss_words(reason: str) -> str:
    """The reason for which a match was lost."""
    return _LOSSES.get(reason, reason)


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def moment(time_of_day: str) -> str:
    """A time of day of the records for people, without the viewer's own clock: `2026-11-23 09:05 UTC`."""
    return f"{time_of_day[:10]} {time_of_day[11:16]} UTC"


def milliseconds(number: int) -> str:
    """A time that is short as a rule: `12 ms`, `1.3 s`."""
    return f"{number} ms" if number < 1000 else seconds(number)


def duration(milliseconds: int) -> str:
    """An estimated time, no more precise than it can be known: `40 s`, `3 min`, `1 h 20 min`."""
    seconds = milliseconds // 1000
    if seconds < 90:
        return f"{max(10, -(-seconds // 10) * 10)} s"
    minutes = -(-seconds // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def countdown(milliseconds: int) -> str:
    """The time to an end, to the second: `0:09`, `12:04`, `1:00:00`. Scripts count on from it in the same form."""
    minutes, rest = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def seconds(milliseconds: int) -> str:
    """A short time: `0.4 s`, `12 s`, `2:05`."""
    if milliseconds < 10_000:
        return f"{milliseconds / 1000:.1f} s"
    whole = round(milliseconds / 1000)
    return f"{whole} s" if whole < 60 else f"{whole // 60}:{whole % 60:02}"
