"""Describes what a teacher's act upon the lobby takes away, for the person who is about to carry it out."""


def losses_of_match(moves: int) -> list[str]:
    """The losses by ending a match without a loser after so many moves, for the teacher to confirm."""
    played = {0: "No move has been made.", 1: "1 move has been made."}.get(moves, f"{moves} moves have been made.")
    return [
        f"{played} The match ends at once, and nobody wins.",
        "A game of a tournament is played again from the start, unless it is an arena's.",
        "There is no way back.",
    ]


def losses_of_connection(player: str, match: int | None) -> list[str]:
    """Describes the losses in the lobby if the teacher ends the connection of a player, who may be in a match."""
    plays = f"Match {match} goes on as after a lost connection: {player} loses it without coming back in time."
    return [
        *([plays] if match is not None else []),
        f"The connection of {player} ends at once. They may log in again.",
    ]


def losses_of_stop(matches: int, within_s: int) -> list[str]:
    """Describes the losses by a stop of the server, with so many matches at play, for whoever is to confirm it."""
    running = {0: "No match is being played: the server stops at once.", 1: "1 match is being played"}.get(
        matches, f"{matches} matches are being played"
    )
    wait = f": the server waits for the end, {within_s} s at most, and keeps the rest for the next start."
    return [
        running + (wait if matches else ""),
        "From now on no match begins, and then every connection ends.",
        "There is no way back: the server has to be started again.",
    ]
