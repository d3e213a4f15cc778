"""The pages of settings and commands say what the code says."""

import pytest

from scripts.make_reference import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_generated_page_matches_the_code(name: str) -> None:
    kept = (DOCS / name).read_text(encoding="utf-8")
    assert kept == PAGES[name](), f"docs/{name} is out of date; run `python -m scripts.make_reference`"


def test_every_setting_and_option_has_a_meaning() -> None:
    for name in PAGES:
        rows = [line for line in (DOCS / name).read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
        assert rows
        assert not [row for row in rows if row.endswith("|  |")]
