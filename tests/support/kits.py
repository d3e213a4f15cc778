"""The starter kits of `examples/`: each is copied as a student does, and built by the commands of its own README.

Copied and built once in a run of the tests, however many processes the run has.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest
from attrs import frozen
from filelock import FileLock

from tests.support.shared_directory import shared_directory

EXAMPLES = Path(__file__).parents[2] / "examples"
LANGUAGES = ("java", "python", "csharp", "javascript")

_TOOLS = {
    "java": ("JDK 17 or newer", ("javac", "jar", "java")),
    "python": ("Python", ()),
    "csharp": ("C# compiler of Mono (the package mono-mcs)", ("mcs", "mono")),
    "javascript": ("Node 18 or newer", ("node",)),
}
_STRICT = {
    "javac ": "javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -Xlint:all -Werror --release 17 ",
    "mcs ": "mcs -warn:4 -warnaserror -langversion:7 ",
    "python3 ": f"{shlex.quote(sys.executable)} -W error ",
    "java ": "java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC ",
}
"""Replacements in a README's commands: warnings are errors, and Java starts faster."""
_MADE = shutil.ignore_patterns("node_modules", "__pycache__", "build", "target", "bin", "obj", "*.jar", "*.exe")


@frozen
class Kit:
    """A kit in a directory of its own, built."""

    language: str
    directory: Path

    @staticmethod
    def can_be_built(language: str) -> bool:
        """True if its tools are here."""
        return all(shutil.which(tool) for tool in _TOOLS[language][1])

    @classmethod
    def of(cls, factory: pytest.TempPathFactory, language: str) -> Self:
        """The kit of this language; the test is skipped where its tools are missing."""
        if not cls.can_be_built(language):
            what, tools = _TOOLS[language]
            pytest.skip(f"no {what} here, which is {', '.join(tools)}")
        kit = cls(language, shared_directory(factory) / "kits" / language)
        kit.directory.parent.mkdir(exist_ok=True)
        with FileLock(kit.directory.with_suffix(".lock")):
            if not (kit.directory / "built").exists():
                shutil.copytree(EXAMPLES / language, kit.directory, ignore=_MADE)
                if "<!-- build -->" in kit.readme:
                    built = kit.run("build")
                    assert built.returncode == 0, built.stdout
                (kit.directory / "built").touch()
        return kit

    def copy(self, directory: Path) -> "Kit":
        """Another copy of it, which the test may change."""
        shutil.copytree(self.directory, directory)
        return Kit(self.language, directory)

    @property
    def readme(self) -> str:
        return (self.directory / "README.md").read_text(encoding="utf-8")

    def block(self, name: str) -> str:
        """The lines of the README for the shell that stand between `<!-- name -->` and `<!-- end -->`."""
        found = re.search(rf"<!-- {name} -->\n```sh\n(.*?)```\n<!-- end -->", self.readme, re.DOTALL)
        assert found, f"the README of the kit {self.language} has no {name}"
        return found[1]

    def run(self, name: str) -> "subprocess.CompletedProcess[str]":
        """Do what the README says there, in the kit's directory. What it prints is all in `stdout`."""
        return self._run(_strict(self.block(name)), timeout_s=240)

    def check(self, *options: str, timeout_s: float) -> "subprocess.CompletedProcess[str]":
        """Check it as the README says, with more options."""
        command = "gameserver check "
        line = self.block("check")
        assert line.startswith(command), line
        return self._run(command + shlex.join(options) + " " + line.removeprefix(command), timeout_s)

    def _run(self, lines: str, timeout_s: float) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", "-euc", lines],
            cwd=self.directory,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
            timeout=timeout_s,
        )

    def command(self, host: str, port: int, name: str) -> list[str]:
        """The README's command for the bot, with this server and name; paths are made absolute."""
        *start, given_host, given_port, given_name = shlex.split(_strict(self.block("run")))
        assert (given_host, given_port, given_name) == ("localhost", "7789", "ann"), "the README of the kit says more"
        start = [str(self.directory / word) if (self.directory / word).is_file() else word for word in start]
        return [*start, host, str(port), name]


def _strict(lines: str) -> str:
    """These commands, with warnings as errors."""
    for command, strict in _STRICT.items():
        lines = re.sub(rf"^{command}", strict, lines, flags=re.MULTILINE)
    return lines


def _environment() -> dict[str, str]:
    """Ours, with the Python that runs the tests in front."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    maven = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    return os.environ | {"PATH": path, "MAVEN_OPTS": maven}
