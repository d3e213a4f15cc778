"""The page of a season, and its table as CSV and JSON: names as they were played, and no school's ids or grades."""

from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.read_model import ReadModel, RecordsModel, read_model_of
from gameserver.tournaments.csv_text import CsvStyle
from gameserver.tournaments.podium import winners
from gameserver.tournaments.season import SeasonSettings, SeasonTable, points_text, rules_in_words, season_csv
from gameserver.web.errors import Missing
from gameserver.web.made_once import SharedPages, SharedText, page_response, shared_text
from gameserver.web.responses import as_json
from gameserver.web.templating import render


def season_routes() -> list[BaseRoute]:
    """The routes of each season's page, and of its table as CSV and as JSON."""

    async def make(read_model: ReadModel, name: str) -> SharedText:
        return shared_text(season_page(await read_model.season(name)).encode())

    shared = SharedPages(make)

    async def page(request: Request) -> Response:
        name = _name_in(request)
        return page_response(request, await shared.get(read_model_of(request), name))

    return [
        Route("/seasons/{name}.csv", _csv),
        Route("/seasons/{name}", page),
        Route("/api/v1/seasons/{name}", _json),
    ]


def season_page(table: SeasonTable) -> str:
    """Renders the page of a season."""
    return render(
        "season.html",
        here="",
        json_url=f"/api/v1/seasons/{table.name}",
        table=table,
        rules=rules_in_words(table),
        points_text=points_text,
        winners=winners,
        styles=list(CsvStyle),
    )


def seasons_of(read_model: RecordsModel, has_event: Callable[[SeasonSettings], bool]) -> Mapping[str, str]:
    """The titles of the seasons that have an event, by the names in their addresses."""
    return {name: one.title or name for name, one in read_model.seasons.items() if has_event(one)}


def _name_in(request: Request) -> str:
    """The season that the address names. Raises `Missing`."""
    name: str = request.path_params["name"]
    if name not in read_model_of(request).seasons:
        raise Missing(f"There is no season {name}")
    return name


async def _csv(request: Request) -> Response:
    table, wanted = await read_model_of(request).season(_name_in(request)), request.query_params.get("csv")
    style = CsvStyle(wanted) if wanted in set(CsvStyle) else CsvStyle.ENGLISH
    # Excel needs the byte order mark.
    text, name = season_csv(table, style).encode("utf-8-sig"), f'attachment; filename="{table.name}.csv"'
    return Response(text, media_type="text/csv", headers={"Content-Disposition": name})


async def _json(request: Request) -> Response:
    table = await read_model_of(request).season(_name_in(request))
    events = [{"counts": bool(event.places), "night": event.night or None} | as_json(event) for event in table.events]
    for event in events:
        del event["places"]  # its own page has them
    rows = [as_json(row) | {"missed": row.missed} for row in table.rows]
    found = {"name": table.name, "title": table.title, "rules": rules_in_words(table), "events": events}
    return JSONResponse(found | {"not_on_record": table.missing, "rows": rows, "teams": as_json(table.teams)})
