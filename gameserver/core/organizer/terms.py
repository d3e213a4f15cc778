"""The terms of a tournament's matches."""

import attrs

from gameserver.core.state.draft import Draft
from gameserver.core.state.tournament import TournamentRow
from gameserver.policies import (
    Policies,
    overtaking,
    queue_policies,
    room_policies,
    ticket_policies,
)


def policies_of(draft: Draft, row: TournamentRow, *, by_room: bool, by_ticket: bool) -> Policies:
    """The mildest terms that any of the players needs, with the plan's own settings.

    Clients with tickets know neither a match that is lost at once nor a move that was made for them: their terms for
    these stay.
    """
    rules, plan = draft.server.rules, row.state.plan
    if by_ticket:
        policies = ticket_policies(rules, first_move_pause=True, rated=rules.rated)
    elif by_room:
        policies = room_policies(rules, first_move_pause=True)
    else:
        policies = queue_policies(rules)
    if plan.turn_time_ms is not None:
        policies = attrs.evolve(policies, turn_time_ms=plan.turn_time_ms)
    if plan.late is not None and not by_ticket:
        policies = attrs.evolve(overtaking(policies, rules), late=plan.late)
    if plan.illegal is not None and not by_ticket:
        policies = attrs.evolve(policies, illegal=plan.illegal)
    return policies
