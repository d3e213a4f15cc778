"""Judges the letters of a name by Unicode's tables. Imported for names outside ASCII only: the import takes 80 ms."""

from functools import lru_cache

from disarm import skeleton_key
from precis_i18n import get_profile

# By judgement: more names than there may be connections.
_NAMES_CACHED_MAX = 16_384

_FREEFORM = get_profile("FreeformClass")


def problem_of(name: str) -> str:
    """The reason why no name may have these characters by Unicode's tables; empty if it may."""
    # U+2800, a Braille cell without dots, is the one invisible character that PRECIS takes for a symbol.
    hidden = next((character for character in name if character != " " and not skeleton(character)), None)
    if hidden is not None:
        return f"a name must not contain invisible characters such as {_named(hidden)}"
    try:
        _FREEFORM.enforce(name)
    except UnicodeEncodeError as error:
        return f"a name must not contain {_named(name[error.start])}, or not at that place"
    return ""


@lru_cache(maxsize=_NAMES_CACHED_MAX)
def skeleton(name: str) -> str:
    """The Unicode skeleton of a name, equal for names that look alike, whatever their case; 1 is l, and 0 is o."""
    return skeleton_key(name, digit_policy="tr39")


def plain(name: str) -> str:
    """The Unicode skeleton of a name with its digits as they are, for comparison with reserved names."""
    return skeleton_key(name)


def _named(character: str) -> str:
    return f"U+{ord(character):04X}"
