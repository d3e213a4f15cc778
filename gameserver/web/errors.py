"""Errors of pages as pages of their own, for people; programs get a line."""

from http import HTTPStatus

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gameserver.database.connection import DatabaseError
from gameserver.read_model import read_model
from gameserver.web.templating import render


class Missing(HTTPException):
    """The error of a page that is not there (404), which says what is missing.

    Any other 404 says that the path is unknown.

    `address` is where to look instead. The message ends with it, and a page makes it a link.
    """

    def __init__(self, why: str, address: str = "") -> None:
        super().__init__(HTTPStatus.NOT_FOUND, f"{why}{address}")
        self.address = address


log = structlog.get_logger()


def error_pages(app: ASGIApp) -> ASGIApp:
    """Makes the application around pages that answers their errors, at the hall that is rendered at.

    An unknown path that a program asks for is left to the listener, which knows every path.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        wants_page = "text/html" in request.headers.get("accept", "")
        try:
            await app(scope, receive, send)
        except DatabaseError as error:
            log.warning("a page was not shown: the records cannot be read", path=request.url.path, why=str(error))
            status, headers = HTTPStatus.SERVICE_UNAVAILABLE, read_model.RECORDS_AWAY_HEADERS
            away = HTTPException(status, read_model.RECORDS_AWAY, headers)
            response = _page_of(request, away) if wants_page else _line_of(away)
            await response(scope, receive, send)
        except HTTPException as error:
            # The listener answers with the paths that there are, of all protocols.
            is_unknown = error.status_code == HTTPStatus.NOT_FOUND and not isinstance(error, Missing)
            if is_unknown and not wants_page:
                raise
            response = _page_of(request, error) if wants_page else _line_of(error)
            await response(scope, receive, send)

    return serve


def _page_of(request: Request, error: HTTPException) -> Response:
    is_bare = error.detail == HTTPStatus(error.status_code).phrase
    text = f"There is nothing at {request.url.path}" if is_bare else error.detail
    heading = HTTPStatus(error.status_code).phrase
    address = error.address if isinstance(error, Missing) else ""
    before = text.removesuffix(address)
    page = render("message.html", here="", json_url="", heading=heading, text=before, address=address)
    return HTMLResponse(page, error.status_code, error.headers)


def _line_of(error: HTTPException) -> Response:
    return PlainTextResponse(f"{error.detail}\n", error.status_code, error.headers)
