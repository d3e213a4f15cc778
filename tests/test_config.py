"""The configuration: defaults, files, every mistake one clear line, and the page that documents each key."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import attrs
import pytest
import tomli_w

from gameserver.config import Settings, listeners, parse_listen, structure, to_raw
from gameserver.config_file import ConfigError, read_file
from gameserver.policies import ChatPolicy, Rules
from gameserver.settings import FIXED, Pace
from gameserver.time_control import TimeControl
from gameserver.tournaments.files import Grading
from gameserver.tournaments.season import SeasonSettings
from tests.support.own_plugins import OWN
from tests.support.tables import table

PROTOCOLS = OWN.protocols
RULES = Rules(house_accept_ms=150)


def test_everything_has_a_default() -> None:
    settings, options = structure({}, PROTOCOLS)
    assert settings == Settings()
    assert settings.rules() == RULES
    assert set(options) == set(PROTOCOLS)


def test_no_plug_in_takes_over_a_table_of_the_servers() -> None:
    with pytest.raises(ConfigError, match=r"the plug-in 'match' is named like the server's table \[match\]; give it"):
        structure({"match": {"clock": "turn 2s"}}, {"match": PROTOCOLS["strategic"]})


def test_time_for_a_turn_is_the_teachers_own_where_it_is_not_the_default() -> None:
    assert not Settings().rules().has_own_clock
    for section in ("match", "rooms", "tickets"):
        settings, _ = structure({section: {"clock": "turn 20s"}}, {})
        assert settings.rules().has_own_clock


def test_config_file_sets_the_named_keys() -> None:
    text = """
    data = "/tmp/x.sqlite3"
    [match]
    clock = "turn 2s"
    [lobby]
    messages = "never"
    [connect-four]
    time_elapsed_error = false
    """
    settings, options = structure(tomllib.loads(text), PROTOCOLS)
    assert settings.rules() == attrs.evolve(RULES, clock=TimeControl(2_000), messages=ChatPolicy.NEVER)
    assert not options["connect-four"].time_elapsed_error


@pytest.mark.parametrize("pace", Pace)
def test_a_choice_is_read_as_what_it_means(pace: Pace) -> None:
    settings, _ = structure({"house": {"pace": pace.value}}, PROTOCOLS)
    assert settings.house.pace is pace


@pytest.mark.parametrize(("text", "says"), table(__file__, "mistakes in a config, and what is said of them"))
def test_a_mistake_is_one_line_that_names_its_key(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as refused:
        structure(tomllib.loads(text), PROTOCOLS)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("name", "address", "says"), table(__file__, "wrong addresses to listen at"))
def test_a_wrong_address_says_so(name: str, address: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        listeners(Settings(listen={name: address}), PROTOCOLS)


def test_where_it_listens() -> None:
    def addresses(listen: dict[str, str]) -> dict[str, str]:
        return {found.key: str(found.address) for found in listeners(Settings(listen=listen), PROTOCOLS)}

    assert addresses({})["strategic"] == "*:7789"
    assert addresses({"strategic": "[::1]:5"})["strategic"] == "[::1]:5"
    assert "strategic" not in addresses({"strategic": "off", "strategic:ngs": "*:1"})
    with pytest.raises(ConfigError, match="nobody could connect"):
        addresses(dict.fromkeys(PROTOCOLS, "off"))
    assert addresses({"strategic:ngs": "*:7790"})["strategic:ngs"] == "*:7790"


def test_several_addresses_and_tls() -> None:
    settings, options = structure(
        {"listen": {"strategic": "*:1, tls://[::1]:2"}, "tls": {"certificate": "c.pem"}}, PROTOCOLS
    )
    found = [found.address for found in listeners(settings, PROTOCOLS) if found.key == "strategic"]
    assert [(str(address), address.tls) for address in found] == [("*:1", False), ("tls://[::1]:2", True)]
    raw = to_raw(settings, options, listeners(settings, PROTOCOLS))
    assert raw["listen"]["strategic"] == "*:1, tls://[::1]:2"
    with pytest.raises(ConfigError, match="a certificate is required"):
        listeners(Settings(listen={"strategic": "tls://*:1"}), PROTOCOLS)


def test_listen_arguments() -> None:
    assert parse_listen(["strategic:ngs=0.0.0.0:1", "a=b:2"]) == {"strategic:ngs": "0.0.0.0:1", "a": "b:2"}
    with pytest.raises(ConfigError, match="--listen takes PROTOCOL=HOST:PORT"):
        parse_listen(["7789"])
    with pytest.raises(ConfigError, match="names strategic twice"):
        parse_listen(["strategic=*:1", "strategic=*:2"])


@pytest.mark.parametrize(("content", "says"), [(b"a = = 1", "not valid TOML"), (b"\xff\xfe", "not valid TOML")])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=says):
        read_file(path)
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_file(tmp_path / "none.toml")


def test_file_of_an_editor_of_windows_begins_with_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b'\xef\xbb\xbfdata = ":memory:"')
    assert read_file(path) == {"data": ":memory:"}


def test_printed_settings_read_back() -> None:
    seasons = {"a": {"events": ["Cup *", 7], "points": [3, 1.5]}, "b": {"grades": {"lowest": 0}}}
    settings, options = structure({"match": {"clock": "turn 3s"}, "season": seasons}, PROTOCOLS)
    printed = tomli_w.dumps(to_raw(settings, options, listeners(settings, PROTOCOLS)))
    again, options_again = structure(tomllib.loads(printed), PROTOCOLS)
    assert attrs.evolve(again, listen={}) == settings
    assert options_again == options
    off = Settings(listen=dict.fromkeys(PROTOCOLS, "off") | {"strategic:ngs": "*:1"})
    assert to_raw(off, options, listeners(off, PROTOCOLS))["listen"] == off.listen


def keys_of(kind: type, prefix: str = "") -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for field in attrs.fields(kind):
        default = field.default.factory() if isinstance(field.default, attrs.Factory) else field.default
        if attrs.has(type(default)) and not isinstance(default, TimeControl):
            keys |= keys_of(type(default), f"{prefix}{field.name}.")
        elif field.metadata != FIXED:
            keys[prefix + field.name] = str(default) if isinstance(default, TimeControl) else default
    return keys


def fixed_in(kind: type) -> set[str]:
    found = {field.name for field in attrs.fields(kind) if field.metadata == FIXED}
    return found.union(*(fixed_in(field.type) for field in attrs.fields(kind) if field.type and attrs.has(field.type)))


@pytest.mark.parametrize("place", ["gameserver", "protocols"])
def test_nobody_is_told_of_a_setting_that_no_file_may_set(place: str) -> None:
    """A refusal or a guide that names one would send its reader to the config file, which refuses it."""
    fixed = fixed_in(Settings).union(*(fixed_in(protocol.options_type) for protocol in PROTOCOLS.values()))
    assert "ping_every_s" in fixed
    named = re.compile(rf"\b(?:{'|'.join(sorted(fixed))})\b")
    for path in sorted((Path(__file__).parents[1] / place).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # An expression that is a text alone is a docstring: those are for who reads the code.
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
        told = [node.value for node in texts if isinstance(node.value, str) and named.search(node.value)]
        assert told == [], path
    for page in (Path(__file__).parents[1] / place).rglob("*.md"):
        assert not named.search(page.read_text(encoding="utf-8")), page


def test_the_page_of_settings_documents_each_key_with_its_default() -> None:
    page = (Path(__file__).parents[1] / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-zNAME_.0-9-]+)` \| `([^|`]*)` \|", page, re.MULTILINE))
    keys = keys_of(Settings)
    for name, plugin in OWN.configured.items():
        keys |= keys_of(plugin.options_type, f"{name}.")
    keys |= keys_of(SeasonSettings, "season.NAME.") | keys_of(Grading, "season.NAME.grades.")
    for key in ("listen", "season", "season.NAME.grades"):
        del keys[key]
    rows = {key: shown for key, shown in rows.items() if key not in PROTOCOLS}
    assert set(rows) == set(keys)
    for key, default in keys.items():
        shown = list(default) if isinstance(default, tuple) else default
        assert tomllib.loads(f"v = {rows[key]}")["v"] == shown, key
