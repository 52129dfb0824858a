"""README.md and the pages of docs agree with the tree: links, commands, services, folders, make targets."""

import re
from pathlib import Path

import pytest

from libs.service.settings import PORTS, SERVICES
from videau.__main__ import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = PAGES[0].read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """What a link to a page may name behind the `#`."""
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    return headings | set(re.findall(r'<a id="([\w-]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for place, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)", text):
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{page.name}: {place}"
        assert not anchor or anchor in anchors(target), f"{page.name}: {place}#{anchor}"


def test_every_command_has_its_row() -> None:
    assert set(re.findall(r"^videau (\w+)", README, re.MULTILINE)) == set(COMMANDS)


def test_every_service_has_its_row_and_port() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (\d+) \|$", README, re.MULTILINE))
    assert {name: int(port) for name, port in rows.items()} == {
        name: PORTS[name] for name in (*SERVICES, "gateway")
    }


def test_every_library_and_folder_has_its_row() -> None:
    told = set(re.findall(r"`([\w./<>]+)`", "".join(re.findall(r"^\| (`[^|]*) \|", README, re.MULTILINE))))
    libraries = {f"libs/{found.name}" for found in (ROOT / "libs").iterdir() if found.name[0] not in "_."}
    folders = {"protos", "services/<name>", "videau", "deploy", "tests", "tools"}
    assert told >= libraries | folders


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert set(re.findall(r"`make ([a-z]+)", text)) <= targets, page.name


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(page.name[:4]) for page in PAGES if page.parent.name == "adr"]
    assert numbers == list(range(1, len(numbers) + 1))
    for page in PAGES[1:]:
        if page.parent.name == "adr":
            assert page.read_text(encoding="utf-8").startswith(f"# {int(page.name[:4])}. ")
