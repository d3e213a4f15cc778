"""The error of a page that would show something which is not there."""

from http import HTTPStatus

from starlette.exceptions import HTTPException


class Missing(HTTPException):
    """A 404 with a message that says what is missing. Any other 404 says only that the path is unknown.

    `address` is where to look instead. The message ends with it, and a page makes it a link.
    """

    def __init__(self, why: str, address: str = "") -> None:
        super().__init__(HTTPStatus.NOT_FOUND, f"{why}{address}")
        self.address = address
