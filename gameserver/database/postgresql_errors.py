"""Errors of PostgreSQL in one line: what is wrong, and what to do. Never with a password.

An error's text is PostgreSQL's own, in the language of its server; what it is follows from its code. A connection that
fails has no code, only a text.
"""

import difflib
import re
from collections.abc import Mapping
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
_PASSING = {"25006", "25P03", "25P04", "55P03"}
"""Read-only, as an old primary is; a session that was silent within a transaction, or took too long for one; a lock
that was not to be had."""
_LASTING = re.compile(
    r"does not exist|authentication failed|no password supplied|pg_hba|definition of service"
    r"|does not support SSL|certificate|private key|SSL error: .* alert"
    r"|^invalid |could not match \d|Servname not supported|could not parse network address|socket path .* too long"
)
"""Connections that will fail again until somebody changes a setting. The word SSL alone says nothing: each error of an
encrypted connection that broke has it, such as `SSL error: unexpected eof while reading`."""
_ADVICE = {
    r"database .* does not exist": "create it with `createdb`",
    r"role .* does not exist": "create it with `createuser`",
    r"authentication failed|no password supplied": "check the user, and the password in the file that PGPASSFILE names",
    r"pg_hba": "allow it in PostgreSQL's pg_hba.conf",
    r"definition of service": "check the file that PGSERVICEFILE names",
    r"read-only": "name all servers of the cluster, as in `host=db1,db2 target_session_attrs=read-write`",
    r"Servname not supported|connection option \"port\"|invalid port": "a port is a number",
    r"could not parse network address": "`hostaddr` is a number, `host` a name",
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
    faults = _faults(primary or str(error))
    what = _without_secrets("; ".join(faults), data)
    advice = next((f"; {do}" for fault, do in _ADVICE.items() if re.search(fault, what)), "")
    if code is not None:
        is_passing = code[:2] in _PASSING_CLASSES or code in _PASSING
    else:
        # One server of several may refuse for ever while another one is only started again.
        is_lasting = all(map(_LASTING.search, faults.values()))
        is_passing = isinstance(error, OperationalError | InterfaceError) and not is_lasting
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


def _faults(text: str) -> Mapping[str, str]:
    """The faults that an error names, by their messages, in which each server that was tried has its address."""
    attempts = {f"{host}{port and ':'}{port}: {fault}": fault for host, port, fault in _ATTEMPT.findall(text)}
    whole = " ".join(text.split()).removeprefix("connection is bad: ")
    return attempts or {whole: whole}


def _without_secrets(text: str, data: str) -> str:
    """PostgreSQL does not repeat a password; if it ever did, it should not be printed."""
    for secret in re.findall(r"(?i)(?:password\s*=\s*'?|://[^:/@]*:)([^\s'&@]{3,})", data):
        text = text.replace(secret, "***").replace(unquote(secret), "***")
    # With an unescaped `@`, `:` or `/` in a password, libpq takes a part of it for a host or a port, and names that.
    for quoted in re.findall(r"\"([^\"]+)\"|'([^']+)'", text):
        named = quoted[0] or quoted[1]
        if named in unquote(data) and named not in unquote(shown(data)):
            text = text.replace(named, "***")
    return text
