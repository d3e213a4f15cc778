"""Programs that a command starts: how their command lines are read, and what ends with them."""

import signal
import subprocess
import sys

import pytest

from gameserver import system


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX' rules")
def test_backslash_escapes_where_shells_say_so() -> None:
    assert system.words_of(r"java -jar my\ bot.jar 'a b' \"x\"") == ["java", "-jar", "my bot.jar", "a b", '"x"']


def test_program_that_was_started_apart_is_asked_held_and_ended() -> None:
    said = subprocess.PIPE
    process = system.start_apart([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=said)
    assert process.poll() is None
    system.hold(process)
    system.ask_to_end(process)
    assert process.wait(30) != 0
    for end in (system.hold, system.ask_to_end, system.end):
        end(process)  # nobody is there any more, and nothing happens
    process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to ask by")
def test_server_is_asked_to_stop() -> None:
    process = system.start_apart([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    system.ask_server_to_stop(process)
    assert process.wait(30) == -signal.SIGTERM
    process.communicate()
