"""The time of day, as HTTP writes it."""

import time
from email.utils import formatdate


class HttpDate:
    """The Date header, made once a second."""

    def __init__(self) -> None:
        self._second = 0
        self._text = b""

    def __call__(self) -> bytes:
        """The value of the header, as of now."""
        second = int(time.time())
        if second != self._second:
            self._second, self._text = second, formatdate(second, usegmt=True).encode("ascii")
        return self._text
