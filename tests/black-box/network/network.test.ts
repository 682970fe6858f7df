import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { resultId } from '../../../src/protocol/index.ts'
import { GATED } from '../../support/devices/gated.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import {
  balanceOf,
  readJob,
  submit,
  timesOf,
  untilJob,
  untilStarted,
} from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { openOtherMachine, whyNoNamespace } from '../../support/faults/network-namespace.ts'
import { outboxIds } from '../../support/outbox-ids.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const reason = await whyNoNamespace()
// On the build machine this has to run; elsewhere a skip is printed with its reason.
if (reason !== undefined && process.env['CI'] === 'true') throw new Error(reason)
if (reason !== undefined) process.stderr.write(`network.test.ts: skipping the cut cable: ${reason}\n`)

test.skipIf(reason !== undefined)(
  'a driver on another machine runs jobs; when the cable is cut it is offline after 15 s, and its result counts once',
  async () => {
    using folder = temporaryFolder()
    await using machine = await openOtherMachine()
    await using service = await Service.install(folder.path, { ip: machine.here })
    await service.start()
    const qpu = await service.createQpu('far')
    const user = await service.createUser(100)
    const gate = join(folder.path, 'gate')
    const args = service.driverArgs('far', qpu.fingerprint, GATED, [`gate=${gate}`])
    await using driver = startSvc(args, {
      cwd: folder.path,
      env: { SVC_ACCESS_TOKEN: qpu.token },
      prefix: machine.prefix,
    })
    await service.untilOnline('far')
    // The token went over plain HTTP to another machine, which is worth a word.
    expect(driver.log).toContain('the access token is sent over plain HTTP')
    writeFileSync(gate, '')
    const first = await untilJob(service, user.token, await submit(service, user.token))
    expect(first.status).toBe('completed')

    rmSync(gate)
    const id = await submit(service, user.token)
    await untilStarted(service, user.token, id)
    await machine.cut()
    writeFileSync(gate, '')
    const outbox = join(folder.path, 'drivers/far/data/outbox')
    await until('the result to be kept', async () => (await outboxIds(outbox)).includes(resultId(id, 1)))
    const ended = performance.now()
    // No packet ends the connection: the server notices the silence.
    await until(
      'the QPU to be offline',
      async () => (await service.call('GET', '/api/qpus/far')).body['status'] === 'offline',
    )
    expect(service.log).toMatch(/no byte received for (1[5-9]|[2-9]\d)\d{3} ms/)
    // Neither lost nor dispatched to another driver: its driver may have the result.
    expect((await readJob(service, user.token, id)).status).toBe('running')

    const outageMs = performance.now() - ended
    await machine.mend()
    const done = await untilJob(service, user.token, id)
    expect(done.status).toBe('completed')
    expect(timesOf(done, 'completed')).toBe(1)
    // Not the outage.
    const [claimed = 0, completed = 0] = ['claimed', 'completed'].map((event) =>
      Date.parse(done.timeline.findLast((each) => each.event === event)?.at ?? ''),
    )
    expect((done.charged_seconds ?? 0) * 1_000).toBeLessThanOrEqual(completed - claimed - outageMs)
    await service.untilOnline('far')
    const balance = await balanceOf(service, user)
    expect(balance).toBeCloseTo(100 - (first.charged_seconds ?? 0) - (done.charged_seconds ?? 0), 3)
    const last = await untilJob(service, user.token, await submit(service, user.token))
    expect(last.status).toBe('completed')
    driver.process.kill('SIGTERM')
    expect((await driver.ended()).status).toBe(0)
    await service.stop()
    expect((await service.doctor()).out).toContain('no problems found')
  },
  90_000,
)

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
)

test.each(['127.0.0.2', ...(hasIpv6 ? ['::1'] : [])])(
  'a server with --ip-addr %s is found there, and nowhere else',
  async (ip) => {
    using folder = temporaryFolder()
    await using service = await Service.install(folder.path, { ip })
    await service.start()
    await expect(fetch(`http://127.0.0.1:${service.port}/api/health`)).rejects.toThrow('Unable to connect')
    const qpu = await service.createQpu('near')
    const user = await service.createUser(100)
    const driver = service.startDriver('near', qpu)
    const job = await untilJob(service, user.token, await submit(service, user.token))
    expect(job.status).toBe('completed')
    driver.kill('SIGTERM')
    expect(await driver.exited).toBe(0)
    await service.stop()
  },
)
