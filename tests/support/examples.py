"""The number of examples of a property: half as many in every run as with `--hypothesis-profile=thorough`."""

from hypothesis import settings

THOROUGH = 100
"""The number of hypothesis examples in the thorough profile; counts are given for it."""


def examples(thorough: int) -> int:
    """This number in the thorough profile, and in proportion in the profile in force."""
    return max(1, thorough * settings.default.max_examples // THOROUGH)
