"""What docs/runbook.md tells staff and operators to do can be done."""

import argparse
import importlib
import re
import shlex
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from libs.backgammon.events import Outcome
from services.audit.case_events import Kind
from services.gateway.close_codes import Close
from videau.__main__ import COMMANDS, MODULES
from videau.proof.report import MEANING

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "runbook.md").read_text(encoding="utf-8")
TYPED = re.findall(r"^\$ (.*)$", TEXT, re.MULTILINE)
MENTIONED = [span for span in re.findall(r"`([^`\n]+)`", TEXT) if span.startswith("videau ")]
INVOCATIONS = sorted({found for line in (*TYPED, *MENTIONED) for found in re.findall(r"\bvideau .*", line)})


def cells(heading: str) -> list[list[str]]:
    """The cells of all table rows below a heading."""
    section = TEXT.split(f"# {heading}\n")[1].split("\n#")[0]
    lines = [line for line in section.splitlines() if line.startswith("|") and not line.startswith("|--")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def words(of: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", of))


@pytest.mark.parametrize("invocation", INVOCATIONS)
def test_every_command_is_one_of_ours_with_options_that_it_has(invocation: str) -> None:
    _, name, *arguments = shlex.split(invocation.removesuffix(")"))
    assert name in COMMANDS
    parser = argparse.ArgumentParser(prog="videau", exit_on_error=False)
    importlib.import_module(f"videau.cli.{MODULES.get(name, name)}").add(parser.add_subparsers())

    assert parser.parse_args([name, *arguments])


def test_there_is_a_command_for_every_step_of_a_complaint() -> None:
    names = {shlex.split(invocation.removesuffix(")"))[1] for invocation in INVOCATIONS}
    assert {"token", "matches", "cases", "case", "replay", "show", "audit", "bundle", "verify"} <= names


def test_every_metric_that_is_named_is_served() -> None:
    served = {metric.name for metric in REGISTRY.collect()}
    named = {name.removesuffix("_total") for name in re.findall(r"\bvideau_\w+", TEXT)}
    assert named <= served


def test_every_check_of_a_report_is_explained() -> None:
    told = {name for row in cells("Read a report") for name in words(row[0])}
    assert told == set(MEANING)


def test_every_outcome_is_explained_as_the_command_spells_it() -> None:
    told = {row[0].strip("`").split()[0] for row in cells("Decide and close")}
    assert told == {outcome.name.lower().replace("_", "-") for outcome in Outcome}


def test_the_kinds_and_close_codes_that_are_named_exist() -> None:
    kinds = {kind.name.lower().replace("_", "-") for kind in Kind}
    assert {"broken-chain", "not-reexecuted"} <= kinds
    assert set(re.findall(r"--kind ([a-z-]+)", TEXT)) <= kinds
    assert {4009} <= {code.value for code in Close}
