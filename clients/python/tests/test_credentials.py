"""Where a client connects, and as whom."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from svc_client import SvcClient, save_account
from svc_client.__main__ import main
from svc_client._credentials import credentials_of

LAB, HOME = "https://svc.lab.example", "https://127.0.0.1:8443"


@pytest.fixture
def saved(no_account: Path) -> Path:
    save_account(LAB, "saved")
    SvcClient.save_account(HOME + "/", "local", profile="home", ca_fingerprint="ab" * 32)
    return no_account


def seen(**given: str) -> tuple[object, ...]:
    found = credentials_of(**given)
    return ",".join(found.addresses), found.token, found.profile


def test_arguments_come_before_the_environment_and_that_before_the_saved_account(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert seen() == (LAB, "saved", "default")
    monkeypatch.setenv("SVC_API_TOKEN", "of environment")
    assert seen() == (LAB, "of environment", None)
    monkeypatch.setenv("SVC_ADDR", "http://there")
    assert seen() == ("http://there", "of environment", None)
    assert seen(base_url="http://here", api_token="given") == ("http://here", "given", None)


def test_a_named_profile_comes_before_the_environment(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_PROFILE", "home")
    assert seen() == (HOME, "local", "home")
    assert credentials_of().ca_fingerprint == "ab" * 32
    monkeypatch.setenv("SVC_ADDR", "http://there")
    monkeypatch.setenv("SVC_API_TOKEN", "of environment")
    assert seen(profile="default") == (LAB, "saved", "default")


def test_a_saved_token_goes_to_its_own_address_only(saved: Path) -> None:
    assert seen(base_url="http://there") == ("http://there", None, None)
    assert seen(base_url="http://there", profile="home") == ("http://there", None, None)
    assert credentials_of(base_url="http://there", profile="home").ca_fingerprint is None
    assert seen(base_url=LAB + "/") == (LAB, "saved", "default")


@pytest.mark.parametrize("address", ["http://svc.lab.example", "HTTP://there", f"{LAB}, http://there"])
def test_a_pinned_root_ca_with_plain_http_is_refused(
    saved: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    refused = pytest.raises(ValueError, match="fingerprint of a root CA protects https only, and .* is plain HTTP")
    with refused:
        SvcClient(address, "token", ca_fingerprint="ab" * 32)
    with refused:
        save_account(address, "token", ca_fingerprint="ab" * 32, overwrite=True)
    # As the release before has saved it.
    account = {"address": address, "api_token": "token", "ca_fingerprint": "ab" * 32}
    saved.write_text(json.dumps({"profiles": {"default": account}}))
    with refused:
        SvcClient()
    monkeypatch.setattr("getpass.getpass", lambda _: pytest.fail("a password is asked"))
    arguments = ["login", address, "--email", "a@b.c", "--ca-fingerprint", "ab" * 32]
    assert main(arguments) == 1


def test_a_profile_that_is_named_has_to_exist(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match='No profile "lab" in .*; make it with: svc login ADDRESS --profile lab'):
        SvcClient(profile="lab")
    monkeypatch.setenv("SVC_PROFILE", "lab")
    with pytest.raises(ValueError, match='No profile "lab"'):
        SvcClient(LAB)


def test_a_file_need_not_exist(no_account: Path) -> None:
    assert seen(base_url=LAB) == (LAB, None, None)
    with pytest.raises(ValueError, match="No address of a server; pass base_url, set SVC_ADDR"):
        SvcClient()


@pytest.mark.parametrize("address", ["svc.lab", "ftp://svc.lab", "https://"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=f'The address "{address}" is no URL such as'):
        SvcClient(address, "x")


@pytest.mark.parametrize("content", ["{", "[]", '{"profiles": []}'])
def test_a_broken_file_is_named(no_account: Path, content: str) -> None:
    no_account.parent.mkdir()
    no_account.write_text(content)
    no_account.chmod(0o600)
    with pytest.raises(ValueError, match="repair or remove it"):
        SvcClient()


def test_a_file_that_others_can_read_is_used_with_a_warning(saved: Path, caplog: pytest.LogCaptureFixture) -> None:
    SvcClient()
    assert caplog.messages == []
    saved.chmod(0o644)
    assert seen() == (LAB, "saved", "default")
    assert caplog.messages == [f"Others can read the API tokens in {saved}; run: chmod 600 {saved}"]


def test_accounts_are_added_and_replaced_on_request(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='There is a profile "default" in .*; pass overwrite=True'):
        save_account(LAB, "other")
    save_account(LAB, "other", overwrite=True)
    content = json.loads(saved.read_text())
    assert content["profiles"]["default"] == {"address": LAB, "api_token": "other"}
    assert content["profiles"]["home"]["api_token"] == "local"
    assert saved.stat().st_mode & 0o777 == 0o600
    assert saved.parent.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in saved.parent.iterdir()] == [saved.name]
    save_account(LAB, "elsewhere", path=tmp_path / "other.json")
    assert "elsewhere" not in saved.read_text()


def test_a_token_in_clear_text_to_another_machine_is_warned_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    httpx = pytest.importorskip("httpx")
    monkeypatch.setattr("svc_client._sync.transport._warned", set())
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=[]))
    with caplog.at_level(logging.DEBUG, "svc_client"):
        for address in (HOME, LAB, "http://one.lab.example", "http://one.lab.example"):
            SvcClient(address, "a secret token", transport=transport).qpus()
    assert caplog.messages == ["The API token is sent to http://one.lab.example without encryption; use https"]
