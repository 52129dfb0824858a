"""What the command line says to somebody who gets it wrong, in one line that names what is wrong."""

from pathlib import Path

import pytest

from libs.eventlog.archive import to_archive
from tests.replay_logs import match_stored
from tests.sealed import bundles
from videau.__main__ import COMMANDS, main

NOBODY = ("--url", "http://127.0.0.1:9")


def test_the_name_alone_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 0
    told = capsys.readouterr().out
    assert all(command in told for command in COMMANDS)


@pytest.mark.parametrize("command", ["show", "replay", "export"])
@pytest.mark.parametrize("name", ["somewhere/match", "match.log"])
def test_a_file_that_is_not_there_is_not_asked_for_at_a_gateway(
    command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, name, *NOBODY]) == 1
    assert capsys.readouterr().err == f"{name}: no such file\n"


def test_a_key_that_is_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = tmp_path / "key.pem"
    key.write_text("no key\n")
    assert main(["verify", str(tmp_path / "match.videau"), "--key", str(key)]) == 1
    assert capsys.readouterr().err.startswith(f"{key}: no public key in PEM")


def test_a_bundle_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "match.videau")]) == 1
    assert capsys.readouterr().err == f"{tmp_path / 'match.videau'}: No such file or directory\n"


def test_without_a_key_the_verdict_does_not_say_who_signed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.videau"
    file.write_bytes(bundles()[0])
    assert main(["verify", str(file)]) == 0
    assert "no key was given: anybody may have signed" in capsys.readouterr().out


def test_the_staff_is_told_where_a_token_comes_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("VIDEAU_TOKEN", raising=False)
    assert main(["cases", *NOBODY]) == 1
    assert "`videau token` makes one" in capsys.readouterr().err


def test_a_match_is_shown_with_its_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "match.log"
    log = match_stored()
    file.write_bytes(to_archive(log[0].match_id, log))
    assert main(["show", str(file)]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"{log[0].match_id}, ")
    assert first.endswith(", times in UTC")


@pytest.mark.parametrize("base", ["65500", "-5"])
def test_a_system_is_not_started_on_ports_that_there_are_not(
    base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["up", "--base-port", base, "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"videau up: there are no ports {base} to ")


@pytest.mark.parametrize("hours", ["-5", "0", "x", "1000000"])
def test_a_token_of_the_staff_holds_for_a_week_at_most(
    hours: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["token", "--role", "support", "--name", "Sue", "--hours", hours])
    assert "1 to 168 is wanted" in capsys.readouterr().err
