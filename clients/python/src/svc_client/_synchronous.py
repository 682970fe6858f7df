"""A synchronous client with the settings of a client, for libraries whose interfaces are synchronous."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._async.client import SvcAsyncClient
    from ._sync.client import SvcClient


def async_twin(client: SvcAsyncClient) -> SvcClient:
    """A synchronous client with the same settings."""
    from ._sync.client import SvcClient  # noqa: PLC0415

    credentials, timeout, retries, ca_file, user_agent = client._options
    return SvcClient(
        credentials.addresses,
        credentials.token,
        timeout=timeout,
        retries=retries,
        ca_file=ca_file,
        ca_fingerprint=credentials.ca_fingerprint,
        user_agent=user_agent,
    )


def twin(client: SvcClient) -> SvcClient:
    """The client itself."""
    return client
