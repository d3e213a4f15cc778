"""Values of JSON for properties, and the number of examples, which `--hypothesis-profile=thorough` doubles."""

from hypothesis import settings
from hypothesis import strategies as st

THOROUGH = 100
"""The number of hypothesis examples in the thorough profile; counts are given for it."""

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def examples(thorough: int) -> int:
    """This number in the thorough profile, and in proportion in the profile in force."""
    return max(1, thorough * settings.default.max_examples // THOROUGH)
