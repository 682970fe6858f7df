"""What a client offers with the extra ``qiskit``, whose interface is synchronous."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, cast

from .._synchronous import async_twin

if TYPE_CHECKING:
    from ..qiskit import SvcBackend, SvcPrimitiveJob
    from .client import SvcAsyncClient


class AsyncAdapters:
    """Methods of a client that need the extra ``qiskit``."""

    def get_backend(self, name: str | None = None) -> SvcBackend:
        """A QPU as a backend of Qiskit, whose interface is synchronous; default ``SVC_QPU``. Needs the extra ``qiskit``."""
        from ..qiskit import SvcBackend  # noqa: PLC0415

        return SvcBackend(async_twin(cast("SvcAsyncClient", self)), name)

    def backends(self, name: str | None = None, min_num_qubits: int | None = None, **conditions: Any) -> list[SvcBackend]:
        """The QPUs as backends of Qiskit. Needs the extra ``qiskit``.

        Args:
            name: only the QPU of this name.
            min_num_qubits: only those with at least so many qubits.
            conditions: ``filters``, a function of a backend; ``simulator``, ``operational`` and ``dynamic_circuits``, each
                True or False.
        """
        from ..qiskit.discovery import backends  # noqa: PLC0415

        return backends(async_twin(cast("SvcAsyncClient", self)), name, min_num_qubits, **conditions)

    def least_busy(self, min_num_qubits: int | None = None, **conditions: Any) -> SvcBackend:
        """The QPU that is expected to start a new job first, by its queue and its schedule. Needs the extra ``qiskit``.

        Args:
            min_num_qubits: only those with at least so many qubits.
            conditions: ``filters``, ``simulator`` and ``dynamic_circuits``, as of ``backends``.

        Raises:
            ValueError: no QPU that runs jobs now satisfies the conditions.
        """
        from ..qiskit.discovery import least_busy  # noqa: PLC0415

        return least_busy(async_twin(cast("SvcAsyncClient", self)), min_num_qubits, **conditions)

    def primitive_job(self, ids: str | Sequence[str]) -> SvcPrimitiveJob:
        """A call of a primitive of Qiskit that was submitted before, in this process or another.

        Args:
            ids: as of ``SvcPrimitiveJob.restore``; needs the extra ``qiskit``.

        Raises:
            ValueError: ids are missing, or are not those of one call of a primitive.
            NotFoundError: there is no such job.
        """
        from ..qiskit import SvcPrimitiveJob  # noqa: PLC0415

        return SvcPrimitiveJob.restore(async_twin(cast("SvcAsyncClient", self)), ids)
