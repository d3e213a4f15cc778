"""Finds the players whom a teacher means when entering a class: a GUID of a GammonX client is its student.

The roster that the server has read decides under which name a client plays. A GUID that it does not know would be
entered as a player who never comes, so it is refused.
"""

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request

from gameserver.admin.request_scope import students_of
from gameserver.core.identity import is_guid


def player_meant(request: Request, name: str, gammonx_id: str = "") -> str:
    """The name under which the player will be here. Raises `HTTPException` (400) if the server's roster has another.

    `gammonx_id` is what the teacher's table has beside the name.
    """
    if not is_guid(name) and not gammonx_id:
        return name
    students = {one.gammonx_id: one.name for one in students_of(request) if one.gammonx_id}
    if is_guid(name):
        found = students.get(name.lower())
        if found is None:
            raise HTTPException(
                HTTPStatus.BAD_REQUEST,
                f"{name} is the PlayerId of a GammonX client, and no player has it as a name; put it into the column "
                "gammonx_id of the server's roster (lobby.roster), beside the student's name",
            )
        return found
    if students.get(gammonx_id.lower()) != name:
        raise HTTPException(
            HTTPStatus.BAD_REQUEST,
            f"the server's roster (lobby.roster) does not give the gammonx_id {gammonx_id} to {name}, so that client "
            "would come as another player; let lobby.roster name this table",
        )
    return name
