"""The setting `data`: the path of a SQLite file, or the connection string of a PostgreSQL database.

postgresql://ann@db.example.edu/games                                             one server
postgresql://ann@db1,db2/games?target_session_attrs=read-write                    the one of two that can be written to
service=games                                                                     a section of the service file
host=db1,db2 dbname=games user=ann                                                keywords
"""

import re

IN_MEMORY = ":memory:"

_URL = re.compile(r"(?i)postgres(ql)?(\+\w+)?:|[a-z][\w+.-]+://")
"""More than is right, such as `postgresql+psycopg://` and `mysql://`: as paths they would be shown with their password,
while libpq refuses them without a word of it. A drive of Windows is one letter."""
_NAMING = frozenset({"host", "hostaddr", "service", "dbname", "password"})
"""Keywords of which a connection string has at least one. A path does not begin with a word and `=`, and has none."""
_PAIR = re.compile(r"\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'?|(?:[^\s\\]|\\.)*)", re.ASCII | re.DOTALL)
_SECRETS = r"passw|pwd|passphrase|secret"
_SECRET_KEYWORD = re.compile(rf"(?i){_SECRETS}")
_SECRET_PARAMETER = re.compile(rf"(?i)[?&][^=&]*(?:{_SECRETS})[^=&]*=[^&]*")


def is_postgresql(data: str) -> bool:
    """True if the setting `data` is the address of a PostgreSQL database; anything else is a path, or `:memory:`."""
    if _URL.match(data):
        return True
    keywords = [key for key, _ in _PAIR.findall(data)]
    if _PAIR.match(data) is None:
        return False
    return not _NAMING.isdisjoint(keywords) or any(map(_SECRET_KEYWORD.search, keywords))


def kept_beside(data: str, hall: str = "") -> str:
    """The path of files about the data at an address, without their suffix.

    It is beside a data file, else in the current directory.

    There each hall has files of its own.
    """
    if data != IN_MEMORY and not is_postgresql(data):
        return data
    return f"gameserver-{hall}" if hall else "gameserver"


def shown(data: str) -> str:
    """The address of a database as it may be printed and logged: without a password."""
    if _URL.match(data):
        return _without_password(data)
    return _without_password_keyword(data) if is_postgresql(data) else data


def has_password(data: str) -> bool:
    """True if a password is written in the address of a database."""
    return shown(data) != data.strip()


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition(":")
    rest = _SECRET_PARAMETER.sub("", rest)
    slashes = rest[: len(rest) - len(rest.lstrip("/"))]
    # A password may have an unescaped `/`, `?` or `@` in it by mistake, so the last `@` counts.
    user, at, place = rest.lstrip("/").rpartition("@")
    if "?" not in place:
        place = place.replace("&", "?", 1)
    return f"{scheme}:{slashes}{user.partition(':')[0]}{at}{place}"


def _without_password_keyword(keywords: str) -> str:
    if _PAIR.sub("", keywords).strip():
        # A part that is no pair may be the rest of a password with a blank in it.
        named = [f"{key}={value}" for key, value in _PAIR.findall(keywords) if key in _NAMING - {"password"}]
        return " ".join(named)
    return _PAIR.sub(lambda pair: "" if _SECRET_KEYWORD.search(pair[1]) else pair[0], keywords).strip()
