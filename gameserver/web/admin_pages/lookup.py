"""Pages for a talk with a student at the desk: a finished match, and a player with the wire log."""

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gameserver.admin.lobby_api import seen
from gameserver.admin.request_scope import wire_log_of
from gameserver.read_model.lobby_view import read_model_of
from gameserver.records.explanations import blame
from gameserver.records.reader import Wanted
from gameserver.web.admin_pages.forms import Filled
from gameserver.web.admin_pages.layout import page_of, pages_url

WIRE_LINES_MAX = 300
"""The number of lines of a wire log on the page, the last ones. The file has all."""
MATCHES_MAX = 20


async def show_match(request: Request) -> Response:
    """The page of a match: the reason for its end, network facts, and every move with its times."""
    read_model, number = read_model_of(request), request.path_params["number"]
    is_live = (await read_model.look()).match(number) is not None
    record = None if is_live else await read_model.read(lambda reader: reader.match(number))
    if record is None and not is_live:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no match {number}")
    lines = () if record is None else blame(record)
    values = {"number": number, "record": record, "blame": lines, "pages_url": pages_url(request), "mark": ""}
    return HTMLResponse(page_of(request, "teacher_match.html", Filled(), **values))


async def show_player(request: Request) -> Response:
    """The page of a player, with the wire log of the player's connections."""
    name = request.query_params.get("name", "").strip()
    read_model = read_model_of(request)
    heads = await read_model.read(lambda reader: reader.heads(Wanted(player=name, count=MATCHES_MAX)))
    text = await wire_log_of(request, name)
    here = next((one for one in (await seen(request)).players if one.name == name), None)
    no_shows = await read_model.read(lambda reader: reader.no_shows(name))
    if not heads and not no_shows and here is None and text is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no player {name} here, and none on record")
    lines = [] if text is None else text.splitlines()
    values = {
        "name": name,
        "player": here,
        "heads": heads,
        "no_shows": no_shows,
        "log": lines[-WIRE_LINES_MAX:],
        "log_lines": len(lines),
        "keeps_wire_logs": read_model.keeps_wire_logs,
        "pages_url": pages_url(request),
        "mark": "",
    }
    return HTMLResponse(page_of(request, "teacher_player.html", Filled(), **values))
