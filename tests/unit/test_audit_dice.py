"""`videau audit dice` over files: its report, what it finds wrong, and what it says when it cannot tell."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from libs.backgammon.events import DiceRolled, Event, OpeningRolled, Seat
from libs.backgammon.profiles import profile
from libs.dicestats.observed import Left, Observed, Omission, Wrong
from libs.dicestats.render import as_json, text
from libs.dicestats.report import report
from libs.eventlog.archive import to_archive
from libs.eventlog.store import Stored
from libs.records.read import read_record
from tests.dice_rolls import rolls, tallied
from tests.proof_logs import altered, decisions, played
from videau import diceplot
from videau.__main__ import main
from videau.importing import import_record

DATA = Path(__file__).parents[1] / "data"
RECORD = DATA / "matches" / "11-backgammongalaxy-1pt.txt"
LOG = played(profile("money"), 3)


def saved(folder: Path, log: list[Stored], name: str = "a.log") -> Path:
    file = folder / name
    file.write_bytes(to_archive(log[0].match_id, log))
    return file


def rolled(log: list[Stored]) -> list[DiceRolled | OpeningRolled]:
    events = (event for decision in decisions(log) for event in decision.events)
    return [event for event in events if isinstance(event, DiceRolled | OpeningRolled)]


def told(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, Any]:
    """The exit code and the report as JSON."""
    code = main(["audit", "dice", "--json", *map(str, arguments)])
    return code, json.loads(capsys.readouterr().out)


def test_the_rolls_of_a_file_are_counted_and_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = told(capsys, saved(tmp_path, LOG))
    assert (code, found["wrong_rolls"], found["suspicious"]) == (0, 0, [])
    assert found["rolls"] == len(rolled(LOG)) > 10
    assert sum(one["rolled"] for one in found["counts"].values()) == found["rolls"]


def test_rolls_of_imported_matches_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = RECORD.read_bytes()
    imported = saved(tmp_path, list(import_record(read_record(data), RECORD.name, data).log), "imported.log")
    code, found = told(capsys, imported, saved(tmp_path, LOG))
    assert (code, found["rolls"]) == (0, len(rolled(LOG)))
    assert main(["audit", "dice", str(imported)]) == 0
    assert "too few rolls" in capsys.readouterr().out


def turned(event: Event) -> Event | None:
    """The first roll of a turn with its dice the wrong way round."""
    if isinstance(event, DiceRolled) and event.first != event.second:
        return replace(event, first=event.second, second=event.first)
    return None


def test_a_wrong_roll_is_named_by_match_and_position(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = altered(LOG, turned)
    before, after = decisions(LOG), decisions(log)
    position = next(
        one.position for one, other in zip(after, before, strict=True) if one.events != other.events
    )
    file = saved(tmp_path, log)
    code, found = told(capsys, file)
    (wrong,) = found["wrong"]
    assert (code, found["wrong_rolls"]) == (1, 1)
    assert (wrong["match"], wrong["position"]) == (log[0].match_id, position)
    assert main(["audit", "dice", str(file)]) == 1
    assert f"WRONG: match {log[0].match_id} position {position} roll " in capsys.readouterr().out
    assert told(capsys, "--no-check", file)[0] == 0


def test_only_what_was_decided_since_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = saved(tmp_path, LOG)
    assert told(capsys, "--since", "1970-01-01", file)[1]["rolls"] == len(rolled(LOG))
    code, found = told(capsys, "--since", "1h", file)
    assert (code, found["rolls"]) == (0, 0)
    assert (
        told(capsys, "--since", "2026-01-31T12:00:00+02:00", file)[1]["since"] == "2026-01-31T10:00:00+00:00"
    )


@pytest.mark.parametrize("since", ["yesterday", "7", "d", "2026-13-01", "7w"])
def test_what_is_no_date_is_refused(since: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["audit", "dice", "--since", since])
    assert refused.value.code == 2
    assert f"{since} is no date" in capsys.readouterr().err


def test_neither_files_nor_a_date_is_nothing_to_audit(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["audit", "dice"])
    assert "name files, or say --since" in capsys.readouterr().err


def test_what_cannot_be_read_cannot_be_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = saved(tmp_path, [*LOG[:5], *LOG[6:]], "broken.log")
    junk = tmp_path / "junk.log"
    junk.write_bytes(b"\xff junk")
    for file, why in (
        (broken, "is broken at position 6"),
        (junk, "no archive"),
        (tmp_path / "none", "No such"),
    ):
        assert main(["audit", "dice", str(file)]) == 2
        printed = capsys.readouterr()
        assert printed.err.startswith(f"{file}: ")
        assert why in printed.err
        assert printed.out == ""


def test_the_plot_is_a_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "dice.png"
    assert told(capsys, saved(tmp_path, LOG), "--plot", picture)[0] == 0
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")


def test_a_plot_that_cannot_be_written_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "missing" / "dice.png"
    assert main(["audit", "dice", str(saved(tmp_path, LOG)), "--plot", str(picture)]) == 1
    assert capsys.readouterr().err == f"{picture}: No such file or directory\n"


def test_without_matplotlib_the_plot_says_how_to_install_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diceplot, "find_spec", lambda _: None)
    assert main(["audit", "dice", "--plot", "dice.png", str(saved(tmp_path, LOG))]) == 1
    assert "pip install 'videau[plot]'" in capsys.readouterr().err


def sample() -> Any:
    tally = tallied(rolls("sample", 30))
    players = {Seat.WHITE: "guest-1", Seat.BLACK: "guest-2"}
    for omission in (
        *[Omission(Seat.WHITE, Left.LINK)] * 12,
        *[Omission(Seat.BLACK, Left.LAST_LINK, won=True)] * 20,
        Omission(Seat.BLACK, Left.TIP),
    ):
        tally.add(Observed((), (omission,), ()), players)
    return report(tally, [Wrong("m1", 17, 4, "3-1 is logged, the links give 6-6")], 1)


def test_the_report_reads_as_it_should() -> None:
    assert text(sample()) + "\n" == (DATA / "dice_report.txt").read_text()


def test_the_report_as_json_is_what_programs_were_promised() -> None:
    def rounded(value: Any) -> Any:
        match value:
            case dict():
                return {key: rounded(one) for key, one in value.items()}
            case list():
                return [rounded(one) for one in value]
            case float():
                return round(value, 9)
        return value

    assert rounded(as_json(sample())) == json.loads((DATA / "dice_report.json").read_text())
