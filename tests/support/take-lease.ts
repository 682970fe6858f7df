import type { Database } from '../../src/db/index.ts'
import type { DispatchTarget } from '../../src/db/store/jobs/index.ts'
import { grantLease } from '../../src/db/store/qpus/index.ts'

/** A driver, with the hash of its access token. */
interface StoredDriver {
  readonly id: string
  readonly token: string
  readonly qpu: string
}

/** Grants a lease as the server does when a driver connects; the driver is not attached yet. */
export async function takeLease(db: Database, { id, token, qpu }: StoredDriver): Promise<DispatchTarget> {
  const { epoch } = await grantLease(db, {
    tokenHash: token,
    firstPort: 6000,
    lastPort: 6999,
    takenPorts: new Set(),
    isHeldByAnotherProcess: () => false,
    host: '127.0.0.1',
    version: 'test',
    device: 'mock',
  })
  return { qpu, driver: id, epoch }
}
