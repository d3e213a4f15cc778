"""Finding scenarios."""

from pathlib import Path

import pytest

from gameserver import plugins
from gameserver.check.scenario import of_directory, of_package
from tests.check.test_scenario_file import text

PACKAGES = sorted(
    {protocol.scenarios for protocol in plugins.load(installed=False).protocols.values() if protocol.scenarios}
)


@pytest.mark.parametrize("package", PACKAGES)
def test_scenarios_of_protocols_can_be_read(package: str) -> None:
    library = of_package(package)
    assert library.problems == ()
    assert library.scenarios


def test_protocol_without_scenarios_has_none() -> None:
    assert of_package("").scenarios == ()


def test_broken_file_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "good.scenario").write_text(text())
    (tmp_path / "bad.scenario").write_text(text("CLIENT flies"))
    (tmp_path / "binary.scenario").write_bytes(b"\xff\xfe")
    (tmp_path / "notes.txt").write_text("no scenario")
    library = of_directory(tmp_path)
    assert [scenario.name for scenario in library.scenarios] == ["good"]
    assert [problem.partition(":")[0] for problem in library.problems] == [
        str(tmp_path / "bad.scenario"),
        str(tmp_path / "binary.scenario"),
    ]


def test_scenario_of_course_replaces_one_of_that_name(tmp_path: Path) -> None:
    for place in ("own", "course"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "same.scenario").write_text(text())
    both = of_directory(tmp_path / "own") + of_directory(tmp_path / "course")
    assert [scenario.file for scenario in both.scenarios] == [str(tmp_path / "course" / "same.scenario")]
