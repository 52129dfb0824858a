from pathlib import Path

import pytest

from libs.service.settings import Settings, SettingsError, environment, load, table, unknown


def test_without_variables_everything_has_a_default() -> None:
    assert load({}) == Settings()


def test_each_kind_of_value_is_read() -> None:
    settings = load(
        {
            "VIDEAU_PORT": "7000",
            "VIDEAU_GUESTS": "off",
            "VIDEAU_PING_SECONDS": "2.5",
            "VIDEAU_SECRETS": "/run/secrets",
            "VIDEAU_RULES": "a:1, b:2",
            "VIDEAU_ISSUER": "https://id.example",
        }
    )
    assert settings.port == 7000
    assert settings.guests is False
    assert settings.ping_seconds == 2.5
    assert settings.secrets == Path("/run/secrets")
    assert settings.addresses_of("rules") == ("a:1", "b:2")
    assert settings.issuer == "https://id.example"


@pytest.mark.parametrize(
    ("name", "value"), [("VIDEAU_PORT", "http"), ("VIDEAU_GUESTS", "maybe"), ("VIDEAU_PING_SECONDS", "")]
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load({name: value})


def test_a_misspelt_variable_is_noticed() -> None:
    assert unknown({"VIDEAU_PROT": "1", "VIDEAU_PORT": "1", "HOME": "/"}) == ["VIDEAU_PROT"]


def test_what_a_process_is_told_is_what_it_reads() -> None:
    told = environment(port=7, rules=("a:1", "b:2"), guests=False, secrets=Path("/s"), ping_seconds=0.5)
    read = load(told)
    assert (read.port, read.rules, read.guests, read.secrets, read.ping_seconds) == (
        7,
        ("a:1", "b:2"),
        False,
        Path("/s"),
        0.5,
    )
    with pytest.raises(ValueError, match="prot"):
        environment(prot=7)


def test_every_variable_is_in_the_table_with_its_meaning() -> None:
    lines = table().splitlines()
    assert len(lines) == len(Settings.__dataclass_fields__)
    assert all(len(line.split()) > 2 for line in lines)


def test_secrets_are_files_that_errors_name_and_never_quote(tmp_path: Path) -> None:
    settings = Settings(secrets=tmp_path)
    (tmp_path / "nats-dice").write_text("hidden\n")
    assert settings.nats_password("dice") == "hidden"
    with pytest.raises(SettingsError, match="nats-rules"):
        settings.nats_password("rules")
    (tmp_path / "dice-keys").write_text("k1 nothex\n")
    with pytest.raises(SettingsError, match="k1 is not hex") as caught:
        settings.dice_keys()
    assert "nothex" not in str(caught.value)
    assert "hidden" not in repr(settings)


def test_the_first_dice_key_is_for_new_matches(tmp_path: Path) -> None:
    (tmp_path / "dice-keys").write_text("new 0102\nold 0304\n")
    assert list(Settings(secrets=tmp_path).dice_keys().items()) == [("new", b"\1\2"), ("old", b"\3\4")]
