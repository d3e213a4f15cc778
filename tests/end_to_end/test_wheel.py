"""The wheel: what is in it, that it serves where nothing else of ours is, and what another `games` does to it."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from contextlib import closing
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import LOCAL, environment

ROOT = Path(__file__).parents[2]
PACKAGES = ("gameserver", "games", "protocols")
BUILT_FROM = (*PACKAGES, "pyproject.toml", "README.md", "LICENSE")
CLASHING = "[project]\nname = 'other-games'\nversion = '3.1'\n[tool.setuptools]\npackages = ['games']\n"


def built(source: Path, directory: Path) -> Path:
    """The wheel of a source tree, by what pip would call: there is no pip where the tests are run by uv."""
    build = f"import setuptools.build_meta as backend; backend.build_wheel({str(directory)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, timeout=120, capture_output=True)
    (wheel,) = directory.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("source")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source)
    return built(source, tmp_path_factory.mktemp("wheel"))


class Installed:
    """A virtual environment with wheels in it, and what they need from the environment of the tests."""

    def __init__(self, directory: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(directory)], check=True, timeout=60)
        self.python = directory / "bin" / "python"
        self.command = directory / "bin" / "gameserver"
        (self.packages,) = directory.glob("lib/python*/site-packages")
        # An editable installation of ours in there is not seen: it is a `.pth` file, too, and those do not nest.
        (self.packages / "needed.pth").write_text(sysconfig.get_path("purelib"), "utf-8")

    def install(self, wheel: Path) -> None:
        """Do as pip does: a wheel is an archive of what belongs into `site-packages`, and names its commands."""
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.packages)
        points = [point for found in distributions(path=[str(self.packages)]) for point in found.entry_points]
        for point in points:
            start = f"import sys\nfrom {point.module} import {point.attr}\nsys.exit({point.attr}())\n"
            self.command.write_text(f"#!{self.python}\n{start}", "utf-8")
            self.command.chmod(0o700)

    def run(self, *arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(self.command), *arguments]
        if arguments[0] == "-m":
            command = [str(self.python), *arguments]
        env = {**environment(), **(env or {})}
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    made = Installed(tmp_path_factory.mktemp("environment"))
    made.install(wheel)
    return made


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A folder in which there is nothing."""
    directory = tmp_path / "empty"
    directory.mkdir()
    return directory


def serves_and_plays(command: Path, empty: Path, **options: Any) -> None:
    """A command serves pages and a match, started in an empty folder."""
    listen = (f"strategic={LOCAL}:0", f"http={LOCAL}:0", f"admin={LOCAL}:0")
    server = Server(empty.parent, {}, listen=listen, command=str(command), cwd=empty, **options)
    with closing(server):
        server.start()
        for page in ("/", "/play", "/static/play.js"):
            with urllib.request.urlopen(f"http://{LOCAL}:{server.port_of('http')}{page}", timeout=30) as response:
                assert response.status == 200
        first, second = begin(server.client("ann"), server.client("bob"))
        play(first, second, 0, 3, 1, 4)
        assert first.ask("move 2") == "OK"
        second.expect("SVR GAME MOVE ", "SVR GAME LOSS ")
        cyd = server.client("cyd")
        assert cyd.ask('challenge "house-club" "Backgammon" 300') == "OK"
        cyd.expect("SVR GAME MATCH ")
        assert server.stop(signal.SIGINT) == 0
        assert [match.reason for match in server.matches()] == ["played"]
    assert list(empty.iterdir()) == []


def test_everything_is_in_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    here = {
        str(path.relative_to(ROOT).as_posix())
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sorted(here - inside) == [], "name them in pyproject.toml under package-data"
    assert sorted(name for name in inside - here if ".dist-info/" not in name) == []
    kinds = {Path(name).suffix for name in here}
    assert {".html", ".css", ".js", ".md", ".json", ".scenario", ".txt", ".typed"} <= kinds


def test_it_serves_and_plays_from_an_empty_folder(installed: Installed, empty: Path) -> None:
    serves_and_plays(installed.command, empty)


def found(tool: str) -> str:
    program = shutil.which(tool, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    return program or pytest.skip(f"{tool} is not on this machine")


@pytest.mark.slow
@pytest.mark.parametrize("system", ["x86_64-pc-windows-msvc", "aarch64-apple-darwin", "x86_64-apple-darwin"])
def test_all_that_it_needs_is_to_be_had_built(system: str, wheel: Path, tmp_path: Path) -> None:
    """A student has no compiler."""
    options = ["--dry-run", "--quiet", "--only-binary", ":all:", "--python-platform", system]
    command = [found("uv"), "pip", "install", *options, "--target", str(tmp_path), str(wheel)]
    subprocess.run(command, check=True, timeout=240)


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["uvx", "pipx"])
def test_tool_runs_it_with_all_that_it_needs(tool: str, wheel: Path, empty: Path, tmp_path: Path) -> None:
    """Fetches the dependencies, so that it needs an index of packages."""
    program = found(tool)
    if tool == "uvx":
        command = tmp_path / "command"
        command.write_text(f'#!/bin/sh\nexec {program} --from {wheel} gameserver "$@"\n', "utf-8")
        command.chmod(0o700)
    else:
        command = tmp_path / "bin" / "gameserver"
        places = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(command.parent)}
        subprocess.run([program, "install", "--quiet", str(wheel)], check=True, timeout=240, env=os.environ | places)
    serves_and_plays(command, empty)


def test_another_distribution_of_games_is_named(installed: Installed, empty: Path, tmp_path: Path) -> None:
    source = tmp_path / "other"
    (source / "games").mkdir(parents=True)
    (source / "games" / "__init__.py").write_text("", "utf-8")
    (source / "pyproject.toml").write_text(CLASHING, "utf-8")
    (tmp_path / "other-wheel").mkdir()
    other = built(source, tmp_path / "other-wheel")
    init = installed.packages / "games" / "__init__.py"
    ours = init.read_bytes()
    installed.install(other)
    refused = installed.run("serve", cwd=empty)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        f"gameserver: its package 'games' in {installed.packages} was written over by the distribution "
        "other-games 3.1; give gameserver an environment of its own: pipx install, uvx, or a new virtual environment\n"
    )
    init.unlink()  # as when the other one is removed
    refused = installed.run("serve", cwd=empty)
    assert refused.stderr == (
        f"gameserver: its package 'games' is missing from {installed.packages}; install gameserver again\n"
    )
    init.write_bytes(ours)
    assert installed.run("plugins", cwd=empty).returncode == 0


def test_folder_that_python_finds_first_is_named(installed: Installed, empty: Path, tmp_path: Path) -> None:
    (empty / "protocols.py").write_text("", "utf-8")
    assert installed.run("plugins", cwd=empty).returncode == 0, "the command does not look into the folder"
    refused = installed.run("-m", "gameserver", "plugins", cwd=empty)
    assert refused.returncode == 1
    assert refused.stderr == (
        f"gameserver: its package 'protocols' is hidden by {empty / 'protocols.py'}; "
        "start gameserver in another folder, or rename that one\n"
    )
    refused = installed.run("plugins", cwd=tmp_path, env={"PYTHONPATH": str(empty)})
    assert f"its package 'protocols' is hidden by {empty / 'protocols.py'}, which Python finds first" in refused.stderr
    assert refused.stderr.count("\n") == 1
