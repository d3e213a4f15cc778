"""The page about tournaments names every field that a preset sets."""

from pathlib import Path

from gameserver.tournaments.presets import PRESETS, fields_set

PAGE = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(encoding="utf-8")


def test_page_has_the_fields_of_every_preset() -> None:
    for which in PRESETS:
        fields = ", ".join(f"`{name}={text}`" for name, text in fields_set(which).items())
        assert f"| `{which}` | {fields} |" in PAGE
