"""`gameserver roster`: what a teacher does with a class list, and what becomes of the file."""

import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gameserver.authentication.roster import read_roster, short_secrets
from gameserver.cli.main import main
from gameserver.cli.roster import ALPHABET, new_secret, parse_class_list

CLASS = "id,name,group\ns1,ann,1A\ns2,Zoë van Dijk,1B\n,,\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["roster", *map(str, arguments)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "class.csv"
    written.write_text(CLASS, encoding="utf-8")
    return written


def secrets_in(file: Path) -> dict[str, str]:
    return {name: one.secret for name, one in read_roster(file).items()}


def test_secrets_are_renewed_only_where_that_is_asked_for(file: Path) -> None:
    file.write_text("name;secret\nann;short\nbob;long-enough-1\ncyd;long-enough-2\n", encoding="utf-8")
    assert "fewer than 10 characters or 40 bits, which can be guessed: ann;" in run(file).stderr
    run(file, "--in-place", "--renew-short", "--renew", "bob")
    found = secrets_in(file)
    assert found["ann"] != "short"
    assert found["bob"] != "long-enough-1"
    assert found["cyd"] == "long-enough-2"
    run(file, "--in-place", "--renew-all")
    assert not {*found.values()} & {*secrets_in(file).values()}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")
def test_written_roster_is_readable_by_its_owner_alone(file: Path, tmp_path: Path) -> None:
    file.chmod(0o644)
    link = tmp_path / "link.csv"
    link.symlink_to(file)
    assert run(link, "--in-place").exit_code == 0
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    new = tmp_path / "new.csv"
    assert run(file, "-o", new).exit_code == 0
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert new.read_bytes() == file.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.csv", "link.csv", "new.csv"]


def test_spreadsheet_gets_back_what_it_wrote(tmp_path: Path) -> None:
    """Separator, line ends, byte order mark, quotes where they are needed, other columns, short rows."""
    text = '\ufeffNaam;Note;Secret\r\nann;"a;b";kept-as-it-is\r\nbob\r\n'
    found = parse_class_list(text, "x", "naam").with_secrets(lambda _, secret: not secret, lambda: "new-secret")
    assert found.text() == '\ufeffNaam;Note;Secret;name\r\nann;"a;b";kept-as-it-is;ann\r\nbob;;new-secret;bob\r\n'


def test_slips_say_how_to_log_in(file: Path) -> None:
    result = run(file, "--in-place", "--slips")
    secret = secrets_in(file)["Zoë van Dijk"]
    assert f"login Zoë van Dijk {secret}" in result.stdout
    again = run(file, "--slips")
    assert again.stdout == result.stdout, "of secrets that are kept, slips can be had again"


def test_slips_of_students_with_a_gammonx_client_have_the_player_id(tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    guid = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
    file.write_text(f"name,GammonX_id\nann,{guid.upper()}\nbob,\n", encoding="utf-8")
    ann, bob = run(file, "--in-place", "--slips").stdout.split("- " * 20)[:2]
    assert f"in GammonX     PlayerId {guid}" in ann
    assert f"Authorization: Bearer {secrets_in(file)['ann']}" in ann
    assert "GammonX" not in bob
    file.write_text("name,gammonx_id\nann,12\n", encoding="utf-8")
    assert "is not a GUID" in run(file).stderr


def test_secret_can_be_copied_from_paper_and_sent_by_every_protocol() -> None:
    made = {new_secret() for _ in range(200)}
    assert len(made) == 200
    for secret in made:
        groups = secret.split("-")
        assert [len(group) for group in groups] == [4, 4, 4]
        assert set("".join(groups)) <= set(ALPHABET)
    assert not set(ALPHABET) & set("0o1li")


def test_secrets_that_are_there_stay(file: Path) -> None:
    assert run(file, "--in-place").exit_code == 0
    first = secrets_in(file)
    assert len({*first.values()}) == 2
    assert not short_secrets(read_roster(file))
    with file.open("a", encoding="utf-8") as stream:
        stream.write("s3,bob,1A\n")
    result = run(file, "--in-place")
    assert "secrets made: 1, kept: 2" in result.stderr
    assert {**secrets_in(file), "bob": ""} == {**first, "bob": ""}
    assert secrets_in(file)["bob"]
    assert read_roster(file)["ann"].student_id == "s1"


def test_list_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_bytes(content := b"name\nZo\xeb\n")
    assert "save it as 'CSV UTF-8'" in run(tmp_path / "class.csv", "--in-place").stderr
    assert (tmp_path / "class.csv").read_bytes() == content
