"""Finds the settings that would hurt at the event, before a tournament begins: a sentence for each, with what to do.

Not found out here is what only the event shows: who does not come, and whose bot fails (`gameserver check` does that).
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from gameserver.core.commands import EntryMode
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.policies import Rules
from gameserver.read_model.read_model import ReadModel
from gameserver.read_model.views import Invitation, ListedStudent
from gameserver.server.invitation import inviting
from gameserver.server.setup import Setup
from gameserver.tournaments.plan import Plan

# Some ten times what a double round robin of 60 players writes. Judgement.
_FREE_MIN_BYTES = 500_000_000
_NAMED_MAX = 3
_THIS_MACHINE = re.compile(r"(?:^|[ /])(?:localhost|127\.[0-9.]+|\[?::1\]?)(?:[: /]|$)")


async def warnings_before(
    setup: Setup, read_model: ReadModel, plan: Plan, entry: EntryMode, entered: Sequence[str]
) -> tuple[str, ...]:
    """Finds what would hurt a tournament of this plan, and of the players who were `entered` by name or are here."""
    lobby_view = await read_model.latest(exact=True)
    here = [] if entry is EntryMode.ROSTER else [player.name for player in lobby_view.players]
    longest = await read_model.read(lambda reader: reader.longest_moves(plan.game))
    people = dict.fromkeys(name for name in (*entered, *here) if not name.startswith(HOUSE_PREFIX))
    invitation = inviting(setup)(0, plan.game, entry)
    students = setup.roster.students() if setup.roster.exists else None
    return (
        *(_of_grades(students, list(people)) if plan.event else ()),
        *_of_connections(setup.rules, setup.limits.trusted_proxies, invitation),
        *_of_clock(plan, setup.rules, {name: longest[name] for name in people if name in longest}),
        *_of_disk(setup.free_bytes()),
    )


def _of_grades(students: Sequence[ListedStudent] | None, people: Sequence[str]) -> Iterator[str]:
    """The people whose grade another could play for."""
    if students is None:
        yield (
            "There is no roster, so anybody can play for a grade under any name: let lobby.roster name a table of the "
            "students with a secret for each."
        )
        return
    proven = {one.name for one in students if one.has_secret}
    open_names = [name for name in (people or [one.name for one in students]) if name not in proven]
    if open_names:
        yield (
            f"Anybody can play for a grade under the name of {_listed(open_names)}: give each a secret in the roster "
            "that lobby.roster names."
        )


def _of_connections(rules: Rules, proxies: Sequence[str], invitation: Invitation) -> Iterator[str]:
    if proxies and rules.drop_grace_ms == 0:
        yield (
            "Players come through a proxy, and whoever loses the connection loses the match, all of them if the proxy "
            "is restarted: set match.drop_grace_s = 30."
        )
    places = [place for place in (invitation.url, *(one.line for one in invitation.entrances)) if place]
    unreachable = [place for place in places if _THIS_MACHINE.search(place)]
    if unreachable:
        yield (
            f'No other machine reaches {_listed(unreachable)}: listen on every address (listen.strategic = "*:7789"), '
            "or set http.url to the address at which players find this server."
        )


def _of_clock(plan: Plan, rules: Rules, longest_ms: Mapping[str, int]) -> Iterator[str]:
    clock = plan.clock or rules.clock
    limit_ms = clock.without_bank().turn_time_ms
    slow = [name for name, took_ms in longest_ms.items() if limit_ms is not None and took_ms > limit_ms]
    if slow:
        most_s = max(longest_ms[name] for name in slow) / 1000
        yield (
            f"The clock {clock} is shorter than moves of {plan.game} on record, up to {most_s:.1f} s, of "
            f"{_listed(slow)}: give a turn more time (--set 'clock=\"turn {int(most_s) + 1}s\"'), or have them tested."
        )


def _of_disk(free_bytes: int | None) -> Iterator[str]:
    if free_bytes is not None and free_bytes < _FREE_MIN_BYTES:
        yield (
            f"The disk of the data file has {free_bytes // 1_000_000} MB left, and matches wait while it is full: free "
            f"{_FREE_MIN_BYTES // 1_000_000} MB."
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    return ", ".join(names[:_NAMED_MAX]) + more
