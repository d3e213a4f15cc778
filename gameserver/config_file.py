"""The config file as it is written: what can be told of it before anybody knows what its keys mean."""

import tomllib
from pathlib import Path
from typing import Any

DATA_FILE = "gameserver.sqlite3"
"""The data file where neither the config nor the command line names one."""


class ConfigError(Exception):
    """The configuration cannot be used; the text is one line for the user."""


def read_file(path: Path) -> dict[str, Any]:
    """Reads the raw content of a config file, before anybody knows what its keys mean. Raises `ConfigError`."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # editors of Windows put a mark before UTF-8
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"the file is not valid TOML: {error}; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the file is not valid TOML: {error}") from error


def data_file(raw: dict[str, Any]) -> str:
    """Finds the data file that the raw content of a config file names. Raises `ConfigError`."""
    named = raw.get("data", DATA_FILE)
    if not isinstance(named, str) or not named:
        raise ConfigError(f"data: {named!r} should be the name of a file")
    return named


def hall_name(raw: dict[str, Any]) -> str:
    """Finds the hall that the raw content of a config file names; empty for the first one.

    Raises `ConfigError`.
    """
    section = raw.get("hall", {})
    named = section.get("name", "") if isinstance(section, dict) else None
    if not isinstance(named, str):
        raise ConfigError(f"hall.name: {named!r} should be the name of a hall")
    return named
