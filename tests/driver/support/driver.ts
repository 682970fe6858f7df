import { join } from 'node:path'
import { type Clock, type GivenFlags, systemClock } from '../../../src/base/index.ts'
import { type DriverHandle, readDriverSettings, startDriver } from '../../../src/driver/index.ts'
import { type EventEnvelope, fingerprintOf } from '../../../src/protocol/index.ts'
import { makeTestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { DEVICES, HOST_ARGV } from './host.ts'
import { recordedLog } from './logs.ts'
import { openTestServer, type TestServer } from './test-server.ts'
export const certificates = await makeTestCertificates()

/** Flags of `driver start` by setting name. */
export type DriverFlags = GivenFlags

/** A server, a folder, and any number of drivers that use them; all of them end with the scope. */
export async function openBench(
  options: { https?: boolean; clock?: Clock; env?: Record<string, string | undefined> } = {},
) {
  const folder = temporaryFolder()
  const server: TestServer = await openTestServer({ certificates, ...(options.https && { https: true }) })
  const recorded = recordedLog()
  const drivers: DriverHandle[] = []
  const settings: DriverFlags = {
    svcAddr: server.url,
    token: 'svc_dt_0123456789abcdef0123',
    operation: 'process',
    device: `${DEVICES}#wild`,
    caFile: join(folder.path, 'ca/svc.ca.pem'),
    caFingerprint: fingerprintOf(certificates.caPem),
    dataDir: join(folder.path, 'data'),
    option: ['greeting=hi'],
  }

  async function start(changes: DriverFlags = {}): Promise<DriverHandle> {
    const driver = await startDriver(readDriverSettings({ flags: { ...settings, ...changes }, env: {} }), {
      clock: options.clock ?? systemClock,
      log: recorded.log,
      version: '2026.11.0',
      cwd: folder.path,
      home: '/home/nobody',
      env: { ...process.env, ...options.env },
      hostArgv: HOST_ARGV,
    })
    drivers.push(driver)
    return driver
  }

  return {
    folder: folder.path,
    outbox: join(folder.path, 'data/outbox'),
    server,
    settings,
    start,
    ...recorded,
    /** Starts a driver and waits until the server sees both its sockets. */
    async attach(changes: DriverFlags = {}): Promise<DriverHandle> {
      const driver = await start(changes)
      await driver.connected
      await until('attach', server.attached)
      return driver
    },
    /** Waits for event number `count` (from 1) of a type. */
    event: (type: string, count = 1): Promise<EventEnvelope> =>
      until(`${type} ${count}`, () => server.eventsOf(type)[count - 1]),
    async [Symbol.asyncDispose]() {
      await Promise.all(drivers.map((driver) => driver.stop()))
      await server.close()
      folder[Symbol.dispose]()
    },
  }
}
