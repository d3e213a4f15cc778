"""Errors of PostgreSQL in one line: what is wrong, and what to do. Never with a password.

An error's text is PostgreSQL's own, in the language of its server; what it is follows from its code. A connection that
fails has no code, only a text.
"""

import difflib
import re
from urllib.parse import unquote

from psycopg import InterfaceError, OperationalError

from gameserver.database.address import shown
from gameserver.database.connection import DatabaseAway, DatabaseError

_PASSING_CLASSES = {
    "08": "connection",
    "40": "rolled back: two transactions were in each other's way",
    "53": "out of disk, memory or connections",
    "57": "ended by an administrator, or starting up",
    "58": "an error of the machine",
}
_PASSING = {"25006", "25P03", "55P03"}
"""Read-only, as an old primary is; a session that was silent within a transaction; a lock that was not to be had."""
_LASTING = re.compile(
    r"does not exist|authentication failed|no password supplied|pg_hba|definition of service|SSL|certificate"
)
"""Connections that will fail again until somebody changes a setting."""
_ADVICE = {
    r"database .* does not exist": "create it with `createdb`",
    r"role .* does not exist": "create it with `createuser`",
    r"authentication failed|no password supplied": "check the user, and the password in the file that PGPASSFILE names",
    r"pg_hba": "allow it in PostgreSQL's pg_hba.conf",
    r"definition of service": "check the file that PGSERVICEFILE names",
    r"read-only": "name all servers of the cluster, as in `host=db1,db2 target_session_attrs=read-write`",
    r"refused|No such file|resolve|timeout expired|timed out|unreachable": "make sure that PostgreSQL runs there",
    r"journal_pkey": "another program writes to the journal",
    r"permission denied": "have the owner of the tables grant it",
    r"relation .* does not exist|schema .* does not exist": "start this version of the server on it once",
}
_ATTEMPT = re.compile(r'(?:server at|server on socket) "([^"]*)"(?:, port (\d+))? failed: ([^\n]*)')
_PARAMETERS = ("dbname", "password", "passfile", "service", "sslmode", "sslrootcert", "target_session_attrs")
"""Those whose names are misspelt."""


def place(data: str) -> str:
    """The name of a database in messages."""
    return f"the database {shown(data)}"


def explanation(error: Exception, data: str) -> DatabaseError:
    """An error of psycopg's as one of ours."""
    code = getattr(error, "sqlstate", None)
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    what = _without_secrets(_in_a_line(primary or str(error)), data)
    advice = next((f"; {do}" for fault, do in _ADVICE.items() if re.search(fault, what)), "")
    if code is not None:
        is_passing = code[:2] in _PASSING_CLASSES or code in _PASSING
    else:
        is_passing = isinstance(error, OperationalError | InterfaceError) and not _LASTING.search(what)
    kind = DatabaseAway if is_passing else DatabaseError
    return kind(f"{place(data)} cannot be used: {what}{advice}")


def fault_in_string(error: Exception, data: str) -> str:
    """The message for a connection string that libpq cannot read. Nothing of the string is in it but its keywords."""
    text = str(error)
    hint = ""
    named = re.search(r'invalid (?:URI query parameter|connection option):? "(\w+)"', text)
    if named is not None:
        close = difflib.get_close_matches(named[1], _PARAMETERS, n=1)
        hint = f": it has an unknown parameter{f'; did you mean {close[0]!r}?' if close else ''}"
    elif ":" in data.partition("=")[0] and not data.startswith(("postgresql://", "postgres://")):
        hint = ": a URL begins with postgresql:// in small letters"
    elif "space" in text or "percent" in text or 'missing "="' in text:
        hint = ": write blanks and signs in a URL as %20 and the like, and quote them as '...' elsewhere"
    example = "postgresql://USER@HOST/DATABASE or service=NAME"
    return f"data: this is not a connection string of PostgreSQL{hint}; write it as {example}"


def _in_a_line(text: str) -> str:
    """The text without line breaks; of several servers that were tried, each with what it said."""
    attempts = dict.fromkeys(_ATTEMPT.findall(text))
    if attempts:
        text = "; ".join(f"{host}{port and ':'}{port}: {fault}" for host, port, fault in attempts)
    return " ".join(text.split()).removeprefix("connection is bad: ")


def _without_secrets(text: str, data: str) -> str:
    """PostgreSQL does not repeat a password; if it ever did, it should not be printed."""
    for secret in re.findall(r"(?i)(?:password\s*=\s*'?|://[^:/@]*:)([^\s'&@]{3,})", data):
        text = text.replace(secret, "***").replace(unquote(secret), "***")
    return text
