"""Files for their owner alone."""

import os
from pathlib import Path

import pytest

from gameserver import system


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX'")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("old", "utf-8")
    system.write_for_the_owner(file, "né\r\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_bytes() == "né\r\n".encode()
    assert list(tmp_path.iterdir()) == [file]


def test_reader_on_windows_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a file cannot be replaced while it is open."""
    readers = 3
    replace = Path.replace

    def refused(path: Path, target: Path) -> Path:
        nonlocal readers
        readers -= 1
        if readers:
            raise PermissionError
        return replace(path, target)

    monkeypatch.setattr(system, "_READERS_ARE_IN_THE_WAY", True)
    monkeypatch.setattr(Path, "replace", refused)
    system.write_for_the_owner(tmp_path / "secret", "text")
    assert (tmp_path / "secret").read_text("utf-8") == "text"


def test_refusal_that_does_not_pass_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, target: Path) -> Path:
        raise PermissionError("no")

    monkeypatch.setattr(system, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(system, "_READERS_ARE_IN_THE_WAY", True)
    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(PermissionError):
        system.write_for_the_owner(tmp_path / "secret", "text")
