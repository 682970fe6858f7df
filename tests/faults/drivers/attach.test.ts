import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startSvc } from '../../support/executable/background-process.ts'
import { Service } from '../../support/executable/service.ts'
import { openOtherMachine, whyNoNamespace } from '../../support/faults/network-namespace.ts'
import { skips } from '../../support/faults/prerequisites.ts'
import { openWallClock, whyNoWallClock } from '../../support/faults/wall-clock.ts'
import { TwoServers } from '../../support/postgres/two-servers.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

// F14a: a driver that cannot attach, beside a healthy standby.
setDefaultTimeout(240_000)
const skipsClock = skips('drivers with another clock', whyNoWallClock())
const skipsNetwork = skips('drivers behind a firewall', await whyNoNamespace())

interface Failing {
  /** How it reaches the server. */
  address?: string
  env?: Record<string, string>
  prefix?: string[]
  /** Part of what its log and the QPU page say. */
  says: string
}

/**
 * Starts a driver that cannot attach and, once it has the lease, a healthy one of the same QPU. Returns the
 * reason for which the first one is refused in the end.
 */
async function race(service: Service, addresses: string, { address, env = {}, prefix = [], says }: Failing) {
  const qpu = await service.createQpu('target')
  const token = await service.admin()
  const { body } = await service.call<{ token: string }>('POST', '/api/op/drivers/create', {
    token,
    body: { name: 'healthy', qpu: qpu.id, operation: 'process' },
  })
  const start = (name: string, access: string, svcAddr: string, more: typeof env, before: string[]) => {
    const args = service.driverArgs(name, qpu.fingerprint, 'mock')
    args[args.indexOf('--svc-addr') + 1] = svcAddr
    const home = join(service.folder, 'drivers', name)
    mkdirSync(home, { recursive: true })
    return startSvc(args, { cwd: home, env: { SVC_ACCESS_TOKEN: access, ...more }, prefix: before })
  }
  await using failing = start('failing', qpu.token, address ?? addresses, env, prefix)
  await failing.untilLogged(says)
  await using healthy = start('healthy', body.token, addresses, {}, [])
  await healthy.untilLogged('on standby until the lease is free')
  await healthy.untilLogged('"message":"connected"', 60_000)
  await service.untilOnline('target')
  const refused = await until('the reason on the QPU page', async () => {
    const { body: activity } = await service.call<{
      drivers: { name: string; refused: { code: string; message: string } | null }[]
    }>('GET', '/api/op/drivers/activity', { token })
    return activity.drivers.find(({ name }) => name === 'target')?.refused
  })
  return refused
}

const CLOCK = 'the clock of this machine is 30 days behind'

test.skipIf(skipsClock)('a driver whose clock is 30 days back leaves the lease to another one', async () => {
  using folder = temporaryFolder()
  const clock = openWallClock(folder.path)
  clock.set('-30d')
  await using service = await Service.install(folder.path)
  await service.start()
  const refused = await race(service, service.url, { env: clock.env, says: CLOCK })
  expect(refused?.message).toMatch(/result port \d+ of .*not yet valid.*30 days behind|already connected/)
})

test.skipIf(skipsClock)('so does one of two servers that share a database', async () => {
  using folder = temporaryFolder()
  const clock = openWallClock(folder.path)
  clock.set('-30d')
  await using both = await TwoServers.start()
  await race(both.leader, both.addresses, { env: clock.env, says: CLOCK })
})

test.skipIf(skipsNetwork)(
  'a driver whose message ports are blocked leaves the lease to another one',
  async () => {
    using folder = temporaryFolder()
    await using addressed = await openOtherMachine()
    await using machine = await openOtherMachine()
    await machine.lose(addressed.here)
    await using service = await Service.install(folder.path, { ip: addressed.here })
    await service.start()
    await race(service, service.url, {
      address: `http://${machine.here}:${service.port}`,
      prefix: machine.prefix,
      says: 'a firewall may block the port',
    })
  },
)
