"""The wheel holds the files that are no modules: pages, templates, scenarios, the markers of types."""

from pathlib import Path

import pytest
from setuptools import Distribution

ROOT = Path(__file__).parent.parent
PACKAGES = ("gameserver", "games", "protocols")


@pytest.fixture
def packaged(monkeypatch: pytest.MonkeyPatch) -> set[Path]:
    """The data files that setuptools would put into a wheel."""
    monkeypatch.chdir(ROOT)
    distribution = Distribution()
    distribution.parse_config_files()
    distribution.include_package_data = False  # there is no MANIFEST.in, and looking for one would write an egg-info
    build = distribution.get_command_obj("build_py")
    build.ensure_finalized()
    return {Path(source, name) for _, source, _, names in build.data_files for name in names}


def test_wheel_holds_every_data_file(packaged: set[Path]) -> None:
    found = [path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file()]
    data = {path for path in found if path.suffix not in {".py", ".pyc"}}
    assert any(path.suffix == ".scenario" for path in data)
    assert data - packaged == set()
