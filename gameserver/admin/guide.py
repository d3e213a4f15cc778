"""The page of the admin listener. It documents every request; those for tournament acts come from their table."""

from collections.abc import Iterator

from gameserver.tournaments.lifecycle.act_spec import WHY
from gameserver.tournaments.lifecycle.act_table import teacher_acts

_REQUESTS = """\
# Admin

What a teacher asks of a running server, over HTTP/1.1 on a port of its own: by default it is reached from this machine
only. `gameserver status`, `kick`, `void`, `drain` and `tournament` use it; so can any program:

    curl -H "Authorization: Bearer $TOKEN" http://localhost:8090/api/status

The token is in the file that the server names at its start, beside the data file; `admin.token` in the config sets
another. A browser is asked for it once. Answers are JSON; what is refused has an `error` that says why, with the
status 401 (no token, or a wrong one), 403 (a page of another site asks), 404 (there is no such thing), 409 (the lobby
refuses) or 421 (a name in the address bar that is not in `admin.hosts`).

| request | what it does |
|---|---|
| `GET /api/status` | players, matches, rooms (`tables`), queues and tickets, now; `attacks`: wrong secrets, by name |
| `GET /api/wire-log?player=NAME` | what a player's connections said and heard, where `wire_log.directory` is set |
| `POST /api/players/NAME/kick` with `{"why": "...", "by": "..."}` | ends a player's connection; they may enter again |
| `POST /api/matches/NUMBER/void` with `{"why": "...", "by": "..."}` | ends a match without a loser |
| `POST /api/drain` with `{"within_s": 300, "why": "...", "by": "..."}` | begins no new match, stops after the last |
| `GET /api/tournaments/` | every tournament, with its number and state |
| `POST /api/tournaments/` with `{"preset": "hanze", "name": "...", "game": "Reversi"}` | makes one |
| `GET /api/tournaments/NUMBER` | entrants, pairings and standings |
| `GET /api/tournaments/NUMBER/export/FILE` | `standings`, `crosstable`, `grades`, `trf` or `json` |
| `POST` to the same with `{"student_ids": {"ann": "s1001"}}` | with these ids where the roster has none, or others |
"""
_TOURNAMENTS = """
A new tournament is its preset, with `changes` to its fields; `entry` (`logged-in`, `subscribed`, `roster`)
and `roster` (`[{"player": "ann"}]`) say who takes part.

Every act may say `why` it is done, and `by` whom; both are journaled.
"""


def guide() -> str:
    """The page, in Markdown."""
    return "\n".join([_REQUESTS.rstrip(), *_act_rows(), _TOURNAMENTS])


def _act_rows() -> Iterator[str]:
    for name, act in teacher_acts().items():
        asked = [
            f"`{one.name}`" + (f" ({', '.join(choice.value for choice in one.choices)})" if one.choices else "")
            for one in (*act.fields, *([WHY] if act.needs_why else []))
        ]
        said = f" with {', '.join(asked)}" if asked else ""
        what = act.help.partition(". ")[0].rstrip(".")
        yield f"| `POST /api/tournaments/NUMBER/{name}`{said} | {what[0].lower()}{what[1:]} |"
