"""Where a client connects, and as whom: arguments, environment variables, or the saved account."""

from __future__ import annotations

import json
import logging
import os
import stat
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence, TypedDict, cast
from urllib.parse import urlsplit

logger = logging.getLogger("svc_client")


class Account(TypedDict, total=False):
    """A profile of the file of accounts."""

    address: str
    api_token: str
    ca_fingerprint: str


@dataclass(frozen=True)
class Credentials:
    """What a client uses."""

    addresses: tuple[str, ...]
    token: str | None = field(repr=False)
    # The profile of the token, for messages; None unless the token is a saved one.
    profile: str | None
    ca_fingerprint: str | None
    # The secret of a session, by which jobs are submitted.
    session: str | None = field(default=None, repr=False)
    # The QPU of jobs that name none.
    qpu: str | None = None


def credentials_of(
    base_url: str | Sequence[str] | None = None,
    api_token: str | None = None,
    profile: str | None = None,
    ca_fingerprint: str | None = None,
    session: str | None = None,
    qpu: str | None = None,
) -> Credentials:
    """Address and token. A saved token is used with its own address only, and so is the session of the environment.

    Raises:
        ValueError: there is no address, or one that is no URL; a root CA is pinned and an address is plain HTTP; a
            named profile is not there; the file of accounts is no JSON.
    """
    named = _saved_account(profile, required=True) if profile is not None else None
    address = base_url or (named or {}).get("address") or _environment("SVC_ADDR")
    if api_token is None and named is None and (base_url is None or _is_of_environment(base_url)):
        session, qpu = session or _environment("SVC_SESSION"), qpu or _environment("SVC_QPU")
        # A driver of the same shell compares it with plain HTTP, too.
        if (_environment("SVC_ADDR") or "").startswith("https:"):
            ca_fingerprint = ca_fingerprint or _environment("SVC_CA_FINGERPRINT")
    # Without an API token, the secret of the session reads its jobs, too.
    token = api_token or (None if named is not None else _environment("SVC_API_TOKEN") or session)
    if token is not None and address is not None:
        return Credentials(protected_addresses(address, ca_fingerprint), token, None, ca_fingerprint, session, qpu)
    chosen = profile or _environment("SVC_PROFILE")
    name = chosen or "default"
    saved = named if named is not None else _saved_account(name, required=chosen is not None)
    own = saved.get("address") if saved is not None else None
    is_own = own is not None and (address is None or addresses_of(address) == addresses_of(own))
    saved_token = saved.get("api_token") if saved is not None and is_own and token is None else None
    if ca_fingerprint is None and saved is not None and is_own:
        ca_fingerprint = saved.get("ca_fingerprint") or None
    return Credentials(
        protected_addresses(address or own, ca_fingerprint),
        saved_token or token,
        name if saved_token else None,
        ca_fingerprint,
        session,
        qpu,
    )


def addresses_of(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """One address, or several, as a list or separated by commas, without trailing slashes."""
    parts = given.split(",") if isinstance(given, str) else given or ()
    addresses = tuple(address.strip() for address in parts if address.strip())
    if not addresses:
        raise ValueError("No address of a server; pass base_url, set SVC_ADDR, or run: svc login ADDRESS")
    for address in addresses:
        url = urlsplit(address)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f'The address "{address}" is no URL such as https://svc.lab.example')
    return tuple(address.rstrip("/") for address in addresses)


def protected_addresses(given: str | Sequence[str] | None, ca_fingerprint: str | None) -> tuple[str, ...]:
    """As ``addresses_of``; refuses plain HTTP together with a pinned root CA, where nothing would be compared."""
    addresses = addresses_of(given)
    plain = next((each for each in addresses if urlsplit(each).scheme == "http"), None)
    if ca_fingerprint and plain is not None:
        raise ValueError(
            f"The fingerprint of a root CA protects https only, and {plain} is plain HTTP; use its https address, "
            "or no fingerprint"
        )
    return addresses


def is_this_machine(address: str) -> bool:
    """Whether requests to the address stay on this machine."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def accounts_path() -> Path:
    """The file of accounts: ``SVC_CLIENT_CONFIG``, or ``svc/client.json`` in the user's folder of settings."""
    given = _environment("SVC_CLIENT_CONFIG")
    if given:
        return Path(given).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "svc" / "client.json"
    return Path.home() / ".config" / "svc" / "client.json"


def read_accounts(path: Path) -> dict[str, Any]:
    """The content of the file of accounts; empty if there is none. Warns if others may read it."""
    try:
        text = path.read_text("utf-8")
        is_open = os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077
    except FileNotFoundError:
        return {"profiles": {}}
    if is_open:
        logger.warning("Others can read the API tokens in %s; run: chmod 600 %s", path, path)
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path} is no JSON; repair or remove it") from error
    if not isinstance(content, dict) or not isinstance(content.setdefault("profiles", {}), dict):
        raise ValueError(f'{path} has no object "profiles"; repair or remove it')
    return content


def save_account(
    base_url: str,
    api_token: str,
    *,
    profile: str = "default",
    path: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    ca_fingerprint: str | None = None,
) -> None:
    """Saves an account, which ``SvcClient(profile=...)`` then uses.

    Only this user can read the file. It is written by rename, so that a program that reads it sees a whole one.

    Raises:
        ValueError: the profile exists and ``overwrite`` is false; the address is no URL, or plain HTTP with a
            fingerprint.
    """
    file = accounts_path() if path is None else Path(path)
    content = read_accounts(file)
    profiles = content["profiles"]
    if profile in profiles and not overwrite:
        raise ValueError(f'There is a profile "{profile}" in {file}; pass overwrite=True to replace it')
    account: Account = {"address": ",".join(protected_addresses(base_url, ca_fingerprint)), "api_token": api_token}
    if ca_fingerprint:
        account["ca_fingerprint"] = ca_fingerprint
    profiles[profile] = account
    _write(file, content)


def remove_account(profile: str) -> None:
    """Removes a profile from the file of accounts."""
    file = accounts_path()
    content = read_accounts(file)
    if content["profiles"].pop(profile, None) is not None:
        _write(file, content)


def saved_profile(profile: str) -> Account:
    """A profile of the file. Raises ``ValueError`` if it is not there."""
    account = _saved_account(profile, required=True)
    assert account is not None
    return account


def _saved_account(name: str, required: bool) -> Account | None:
    path = accounts_path()
    account = read_accounts(path)["profiles"].get(name)
    if account is None and required:
        raise ValueError(f'No profile "{name}" in {path}; make it with: svc login ADDRESS --profile {name}')
    if account is not None and not isinstance(account, dict):
        raise ValueError(f'The profile "{name}" in {path} is no object; repair or remove it')
    return cast("Account | None", account)


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp creates files that only this user can read.
    descriptor, draft = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
            file.write("\n")
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def _is_of_environment(base_url: str | Sequence[str]) -> bool:
    address = _environment("SVC_ADDR")
    return address is not None and addresses_of(base_url) == addresses_of(address)


def _environment(name: str) -> str | None:
    return os.environ.get(name) or None
