"""A synchronous client with the settings of a client, for libraries whose interfaces are synchronous."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ._async.client import SvcAsyncClient
    from ._sync.client import SvcClient

    ClientT = TypeVar("ClientT", SvcClient, SvcAsyncClient)


def with_options(kind: type[ClientT], options: tuple[Any, ...]) -> ClientT:
    """A client with the settings of another one."""
    credentials, timeout, retries, ca_file, user_agent = options
    return kind(
        credentials.addresses,
        credentials.token,
        timeout=timeout,
        retries=retries,
        ca_file=ca_file,
        ca_fingerprint=credentials.ca_fingerprint,
        user_agent=user_agent,
        session=credentials.session,
        qpu=credentials.qpu,
    )


def async_twin(client: SvcAsyncClient) -> SvcClient:
    """A synchronous client with the same settings."""
    from ._sync.client import SvcClient  # noqa: PLC0415

    return with_options(SvcClient, client._options)


def twin(client: SvcClient) -> SvcClient:
    """The client itself."""
    return client
