"""The page of the admin listener. It documents every request; those for tournament acts come from their table."""

from collections.abc import Iterator

from gameserver.tournaments.act_table import WHY, teacher_acts

_REQUESTS = """\
# Admin

A teacher's interface to a running server, over HTTP/1.1 on its own port: by default only this machine can reach it.
`gameserver status`, `kick`, `void`, `drain` and `tournament` use it, and so can any program:

    curl -H "Authorization: Bearer $TOKEN" http://localhost:8090/api/status

The token is in the file that the server names at startup, beside the data file; `admin.token` in the config sets
another. A browser is asked for it once. Answers are JSON; a refusal has an `error` that says why, with the
status 401 (no token, or a wrong one), 403 (a request from a page of another site), 404 (not found), 409 (the lobby
refuses), 421 (a host name that is not in `admin.hosts`) or 503 (the database with the records is away; ask again).

| request | what it does |
|---|---|
| `GET /api/status` | players, matches, rooms (`tables`), queues and tickets, now; `attacks`: wrong secrets, by name |
| `GET /api/wire-log?player=NAME` | the wire log of a player, if `wire_log.directory` is set |
| `POST /api/players/NAME/kick` with `{"why": "...", "by": "..."}` | ends a player's connection; they may log in again |
| `POST /api/matches/NUMBER/void` with `{"why": "...", "by": "..."}` | ends a match without a loser |
| `POST /api/drain` with `{"within_s": 300, "why": "...", "by": "..."}` | starts no new matches, stops after the last |
| `GET /api/tournaments/` | every tournament, with its number and state |
| `POST /api/tournaments/` with `{"preset": "hanze", "name": "...", "game": "Reversi"}` | makes one |
| `GET /api/tournaments/NUMBER` | entrants, pairings and standings |
| `GET /api/tournaments/NUMBER/export/FILE` | `standings`, `crosstable`, `matches`, `grades`, `trf` or `json` |
| the same with `?csv=STYLE` | CSV with a byte order mark, for a spreadsheet: `english`, `dutch` or `german` |
| `POST` to the same with `{"student_ids": {"ann": "s1001"}, "csv": "dutch"}` | these ids override the roster's |
"""
_TOURNAMENTS = """
A new tournament has the fields of its preset, overridden by `changes`; `entry` (`logged-in`, `subscribed`, `roster`)
and `roster` (`[{"player": "ann"}]`) say who takes part. A PlayerId of GammonX as `player` is the student who has it in
the server's roster; a `gammonx_id` beside the name has to be the same as there.

Every action may have a reason (`why`) and an author (`by`); both are journaled.
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
