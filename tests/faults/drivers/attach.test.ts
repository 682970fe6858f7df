import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { startSvc } from '../../support/executable/background-process.ts'
import { Service } from '../../support/executable/service.ts'
import { openOtherMachine, whyNoNamespace } from '../../support/faults/network-namespace.ts'
import { skips } from '../../support/faults/prerequisites.ts'
import { openWallClock, whyNoWallClock } from '../../support/faults/wall-clock.ts'
import { TwoServers } from '../../support/postgres/two-servers.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { part } from '../../support/whole.ts'

// F14a: a driver that cannot attach, beside a healthy standby.
setDefaultTimeout(900_000)
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

/** Time from the first request of a healthy driver until it is attached: a turn of 30 s, and a poll. */
const MAX_WAIT_MS = 35_000
/** Each takes two of the ports that a server of the tests has. */
const AT_ONCE = 15

/**
 * Races at the same time, each on a QPU of its own: a driver that cannot attach, and one that can, which asks
 * once the first has the lease. Returns why the first is refused and how long the second waited, in ms.
 */
async function race(service: Service, addresses: string, failing: Failing, name: string) {
  const qpu = await service.createQpu(name)
  const token = await service.admin()
  const { body } = await service.call<{ token: string }>('POST', '/api/op/drivers/create', {
    token,
    body: { name: `healthy_${name}`, qpu: qpu.id, operation: 'process' },
  })
  const start = (
    who: string,
    access: string,
    { address = addresses, env = {}, prefix = [] }: Partial<Failing>,
  ) => {
    const args = service.driverArgs(`${who} ${name}`, qpu.fingerprint, 'mock')
    args[args.indexOf('--svc-addr') + 1] = address
    const home = join(service.folder, 'drivers', `${who} ${name}`)
    return startSvc(args, { cwd: home, env: { SVC_ACCESS_TOKEN: access, ...env }, prefix })
  }
  await using one = start('failing', qpu.token, failing)
  await one.untilLogged(failing.says)
  await using healthy = start('healthy', body.token, {})
  await healthy.untilLogged('on standby until the lease is free')
  const asked = performance.now()
  await healthy.untilLogged('"message":"connected"', 60_000)
  const waited = performance.now() - asked
  await service.untilOnline(name)
  const refused = await until('the reason on the QPU page', async () => {
    const { body: activity } = await service.call<{
      drivers: { name: string; refused: { code: string; message: string } | null }[]
    }>('GET', '/api/op/drivers/activity', { token })
    return activity.drivers.find((driver) => driver.name === name)?.refused
  })
  return { waited, refused: refused?.message }
}

/** Runs `count` races. Returns the reasons of the drivers that could not attach. */
async function races(count: number, service: Service, addresses: string, failing: Failing) {
  const ended: Awaited<ReturnType<typeof race>>[] = []
  // Once: logins are limited.
  await service.admin()
  while (ended.length < count) {
    const names = Array.from(
      { length: Math.min(AT_ONCE, count - ended.length) },
      (_, at) => ended.length + at,
    )
    const run = names.map((at) => race(service, addresses, failing, `qpu_${at}`))
    ended.push(...(await Promise.all(run)))
  }
  const waited = ended.map((each) => each.waited).sort((a, b) => a - b)
  console.info(`${count} races: attached after ${waited[0]?.toFixed()} to ${waited.at(-1)?.toFixed()} ms`)
  expect(waited.at(-1)).toBeLessThanOrEqual(MAX_WAIT_MS)
  return ended.map(({ refused }) => refused)
}

const CLOCK = 'the clock of this machine is 30 days behind'

test.skipIf(skipsClock)('a driver whose clock is 30 days back leaves the lease to another one', async () => {
  using folder = temporaryFolder()
  const clock = openWallClock(folder.path)
  clock.set('-30d')
  await using service = await Service.install(folder.path)
  await service.start()
  const failing = { env: clock.env, says: CLOCK }
  for (const refused of await races(part(15, 1), service, service.url, failing)) {
    expect(refused).toMatch(/result port \d+ of .*not yet valid.*30 days behind|already connected/)
  }
})

test.skipIf(skipsClock)('so does one of two servers that share a database', async () => {
  using folder = temporaryFolder()
  const clock = openWallClock(folder.path)
  clock.set('-30d')
  await using both = await TwoServers.start()
  await races(part(100, 3), both.leader, both.addresses, { env: clock.env, says: CLOCK })
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
    await races(part(15, 1), service, service.url, {
      address: `http://${machine.here}:${service.port}`,
      prefix: machine.prefix,
      says: 'a firewall may block the port',
    })
  },
)
