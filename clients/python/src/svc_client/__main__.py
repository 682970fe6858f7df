"""``python -m svc_client login ADDRESS`` and ``logout``: the account that ``SvcClient()`` uses.

The commands of the same names of the executable ``svc`` read and write the same file.
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import os
import socket
import sys
from typing import Sequence

from ._credentials import (
    Account,
    Credentials,
    accounts_path,
    protected_addresses,
    read_accounts,
    remove_account,
    save_account,
    saved_profile,
)
from ._errors import InvalidRequestError, SvcError
from ._http import Http, Timeout
from ._retries import Retries
from ._sync.client import SvcClient
from ._sync.tokens import Scope
from ._sync.transport import Transport


def login(address: str, *, profile: str, email: str | None, scope: Scope, ca_fingerprint: str | None) -> None:
    """Asks for e-mail and password, creates an API token and saves it. A token that it replaces is deleted."""
    addresses = protected_addresses(address, ca_fingerprint)
    previous: Account = read_accounts(accounts_path())["profiles"].get(profile, {})
    session = _session(addresses, email or input("E-mail: ").strip(), getpass.getpass("Password: "), ca_fingerprint)
    with SvcClient(addresses, session, ca_fingerprint=ca_fingerprint) as svc:
        token = svc.tokens.create(f"svc-client on {socket.gethostname()}"[:255], scope=scope)
        own = ",".join(addresses)
        save_account(own, token.token, profile=profile, overwrite=True, ca_fingerprint=ca_fingerprint)
        print(f"Signed in as {svc.me().email} at {own}; saved as profile {profile} in {accounts_path()}")
        if previous.get("address") == own:
            # It may have been deleted before, or belong to another user.
            with contextlib.suppress(SvcError, ValueError):
                svc.tokens.delete(_id_of(previous))


def logout(*, profile: str) -> int:
    """Deletes the saved token, on the server too; returns the exit status."""
    account = saved_profile(profile)
    failure = None
    try:
        with _client_of(account) as svc:
            svc.tokens.delete(_id_of(account))
    except (SvcError, ValueError) as error:
        failure = error
    remove_account(profile)
    print(f"Removed profile {profile} from {accounts_path()}")
    if failure is None:
        return 0
    print(f"The API token may still be valid at {account.get('address')}: {failure}", file=sys.stderr)
    return 1


def _session(addresses: Sequence[str], email: str, password: str, ca_fingerprint: str | None) -> str:
    """A login token for this e-mail and password."""
    http = Http(Timeout(), ca_fingerprint=ca_fingerprint)
    # Without a token of the environment or of a saved account.
    transport = Transport(Credentials(tuple(addresses), None, None, ca_fingerprint), http, Retries())
    body = {"identity": email, "password": password}
    try:
        return str(transport.request("POST", "/api/collections/users/auth-with-password", body=body)["token"])
    except InvalidRequestError as error:
        raise ValueError(f"E-mail or password is not valid at {addresses[0]}") from error
    finally:
        http.close()


def _client_of(account: Account) -> SvcClient:
    address, token, pin = account.get("address"), account.get("api_token"), account.get("ca_fingerprint")
    if not address or not token:
        raise ValueError("The saved account lacks its address or its API token")
    # Each address once: signing out does not wait for a server that is away.
    tries = len(address.split(","))
    return SvcClient(address, token, ca_fingerprint=pin, retries=Retries(tries=tries))


def _id_of(account: Account) -> str:
    """Id of the API token of an account."""
    with _client_of(account) as svc:
        return str(svc.me().raw["credentials"]["id"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m svc_client", description="Account of the Python client of svc")
    commands = parser.add_subparsers(dest="command", required=True)
    into = commands.add_parser("login", help="sign in with e-mail and password, and save an API token")
    into.add_argument("address", metavar="ADDRESS", help="such as https://svc.lab.example; several separated by commas")
    into.add_argument("--email", help="e-mail address of the account; asked if unset")
    into.add_argument("--scope", choices=["read", "submit", "all"], default="all", help="what the new token allows")
    into.add_argument("--ca-fingerprint", help="SHA-256 fingerprint of the server's root CA, which alone is trusted")
    out = commands.add_parser("logout", help="delete the saved API token, on the server too")
    for command in (into, out):
        command.add_argument("--profile", help="name of the saved account; if unset, SVC_PROFILE or default")
    given = parser.parse_args(arguments)
    profile = given.profile or os.environ.get("SVC_PROFILE") or "default"
    try:
        if given.command == "logout":
            return logout(profile=profile)
        scope, pin = given.scope, given.ca_fingerprint
        login(given.address, profile=profile, email=given.email, scope=scope, ca_fingerprint=pin)
    except (SvcError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, EOFError):
        print("\ncancelled", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
