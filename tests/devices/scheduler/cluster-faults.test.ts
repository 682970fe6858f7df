import { describe, expect, test } from 'bun:test'
import { JobError } from '../../../src/devices/index.ts'
import { createRng } from '../../../src/simulator/index.ts'
import { ClusterLab } from '../../support/cluster/cluster-lab.ts'
import {
  CountingWire,
  CutWire,
  ReplyWire,
  SilentWire,
  TriggerWire,
  wholeWire,
} from '../../support/cluster/wire.ts'
import { ExpiringClock } from '../../support/expiring-clock.ts'

/** Positions at which connections are cut, of each direction. */
const CUTS = 10
/** Time limits of the client, ms: a reply, an exchange of a job that is over, the rest of the sequencers. */
const [REPLY_MS, ABORT_MS, REST_MS] = [60_000, 200, 1_000]
const PLACE = '127\\.0\\.0\\.1:\\d+'

/** Expects the failure of a job by its instrument, in these words. */
function expectFailure(error: unknown, message: RegExp): void {
  expect(error).toBeInstanceOf(JobError)
  expect(error).toMatchObject({ class: 'device', errorCode: 'instrument_failed' })
  expect((error as JobError).message).toMatch(message)
}

/** Expects that the cluster works again, and keeps nothing of the job that failed. */
async function expectRecovery(lab: ClusterLab): Promise<void> {
  lab.cluster.wire = wholeWire
  expect(await lab.errorOfRun()).toBeUndefined()
  await lab.cluster.settled()
  expect(lab.restless).toEqual([])
}

async function trafficOf(lab: ClusterLab): Promise<CountingWire> {
  await lab.run()
  const counting = new CountingWire()
  lab.cluster.wire = counting
  await lab.run()
  lab.cluster.wire = wholeWire
  return counting
}

describe.each(['1.0', '1.1'])('a job on a cluster with command set %s', (scpiVersion) => {
  test.each(['received', 'sent'] as const)(
    'fails when a connection is cut in what is %s',
    async (direction) => {
      await using lab = await ClusterLab.start({ scpiVersion })
      const total = (await trafficOf(lab)).bytes[direction]
      const rng = createRng(15)
      let failures = 0
      for (let cut = 0; cut < CUTS; cut++) {
        const at = Math.floor(((cut + rng.next()) / CUTS) * total)
        lab.cluster.wire = new CutWire(direction, at)
        const error = await lab.errorOfRun()
        if (error !== undefined) {
          failures += 1
          expectFailure(error, new RegExp(`^${PLACE}: \\S+\\?: (the connection was closed|read ECONNRESET)$`))
        }
        await expectRecovery(lab)
      }
      // The first bytes ask whether the cluster is still there, the last put the sequencers to rest.
      expect(failures).toBeGreaterThan(CUTS / 4)
    },
  )

  test('fails with the wait for any of its replies', async () => {
    const clock = new ExpiringClock([REPLY_MS, REST_MS])
    await using lab = await ClusterLab.start({ scpiVersion, clock })
    const { answered } = await trafficOf(lab)
    expect(answered.length).toBeGreaterThan(12)
    for (const [at, command] of answered.entries()) {
      lab.cluster.wire = new SilentWire(at, () => clock.expire())
      const error = await lab.errorOfRun()
      clock.renew()
      // The last replies say whether the sequencers are at rest: the job has its results by then.
      const hasResults = at > answered.findLastIndex((each) => each.endsWith('ACQ:ALISt?'))
      if (hasResults) expect(error).toBeUndefined()
      else expectFailure(error, new RegExp(`^${PLACE}: ${escaped(command)}: no reply within 60 s$`))
      await expectRecovery(lab)
    }
  })

  test('ends in its time at whichever reply the cluster falls silent', async () => {
    const clock = new ExpiringClock([ABORT_MS, REST_MS])
    await using lab = await ClusterLab.start({ scpiVersion, clock })
    const { answered } = await trafficOf(lab)
    const over = new Error('the time of the job is over')
    for (const at of answered.keys()) {
      const ending = new AbortController()
      lab.cluster.wire = new SilentWire(at, () => {
        ending.abort(over)
        clock.expire()
      })
      const error = await lab.errorOfRun(ending.signal)
      clock.renew()
      const hasResults = at > answered.findLastIndex((each) => each.endsWith('ACQ:ALISt?'))
      expect(error).toBe(hasResults ? undefined : over)
      await expectRecovery(lab)
    }
  })

  test('fails in the words of an error queue, however many there are', async () => {
    await using lab = await ClusterLab.start({ scpiVersion })
    await lab.run()
    lab.cluster.wire = new TriggerWire('PROGram', () => {
      const { errors } = lab.cluster.modules.get(2)?.commands ?? {}
      for (let each = 0; each < 70; each++) errors?.add(`-222,"Data out of range;${each}"`)
    })
    const error = await lab.errorOfRun()
    expectFailure(error, /^the module in slot 2 refused a sequence: -222,"Data out of range;0"; -222,/)
    expect((error as JobError).message.length).toBeLessThan(2_100)
    expect(lab.cluster.modules.get(2)?.commands.errors.count).toBe(0)
    await expectRecovery(lab)
  })

  test('fails by a program that the module does not assemble', async () => {
    await using lab = await ClusterLab.start({ scpiVersion })
    await lab.run()
    lab.cluster.wire = {
      ...wholeWire,
      received: (_, bytes) => ({ bytes: swapped(bytes, 'set_awg_gain', 'set_awg_pain'), isCut: false }),
    }
    expectFailure(
      await lab.errorOfRun(),
      /^the module in slot 2 refused a sequence: -200,"Assembly failed\." \(assembler, sequencer 0: line \d+: .*set_awg_pain/,
    )
    await expectRecovery(lab)
  })

  const cutShort = (reply: Buffer) => Buffer.concat([reply.subarray(0, -30), Buffer.from('\r\n')])
  const tooShort = (reply: Buffer) => swapped(reply, '#3320', '#3300')
  const twice = (reply: Buffer) => Buffer.concat([reply, reply])
  const line = (text: string) => () => Buffer.from(`${text}\r\n`)
  test.each<[what: string, command: string, replace: (reply: Buffer) => Buffer, message: RegExp]>([
    ['a block that ends early', 'ACQ:ALISt?', cutShort, /ACQ:ALISt\?: no reply within 60 s$/m],
    ['a block that is too short', 'ACQ:ALISt?', tooShort, /: 300 bytes of bins are no multiple of 32$/],
    ['a line in the place of a block', 'ACQ:ALISt?', line('OK'), /: expected a block, .*, got "OK"$/],
    ['a state that is none', 'STATE?', line('OKAY'), /^the state of a sequencer is "OKAY"$/],
    ['more than it was asked for', 'COUNt?', twice, /: sent something that was not asked for$/],
  ])('fails by a reply with %s', async (_, command, replace, message) => {
    const clock = new ExpiringClock([REPLY_MS])
    await using lab = await ClusterLab.start({ scpiVersion, clock })
    await lab.run()
    lab.cluster.wire = new ReplyWire(command, (reply) => {
      if (replace === cutShort) clock.expire()
      return replace(reply)
    })
    const error = await lab.errorOfRun()
    clock.renew()
    expectFailure(error, message)
    await expectRecovery(lab)
  })
})

test('a job fails while the cluster is off, is another one or lacks a module', async () => {
  await using lab = await ClusterLab.start()
  await lab.run()
  await lab.replaceCluster(new Map([[2, 'QCM_RF']]))
  expectFailure(await lab.errorOfRun(), /^slot 5 has no module, the hardware file a QRM_RF$/)
  await lab.replaceCluster(
    new Map([
      [2, 'QCM'],
      [5, 'QRM_RF'],
    ]),
  )
  expectFailure(await lab.errorOfRun(), /^slot 2 has a QCM, the hardware file a QCM_RF$/)
  await lab.replaceCluster()
  lab.cluster.identity = 'Somebody,Oscilloscope,1,2'
  expectFailure(
    await lab.errorOfRun(),
    /^it is no cluster: it identifies itself as "Somebody,Oscilloscope,1,2"$/,
  )
  await lab.cluster[Symbol.asyncDispose]()
  expectFailure(await lab.errorOfRun(), new RegExp(`^${PLACE}: nothing listens there`))
  await lab.replaceCluster()
  await expectRecovery(lab)
})

describe('scheduler_a does not start', () => {
  const start = async (lab: ClusterLab) =>
    lab.open().then(
      () => 'started',
      (error: Error) => error.message,
    )

  test('on a cluster that lacks a module, is another instrument or is off', async () => {
    await using lab = await ClusterLab.start({ modules: new Map([[2, 'QCM_RF']]) })
    expect(await start(lab)).toStartWith(
      'startup error: cluster cluster0: slot 5 has no module, the hardware file a QRM_RF',
    )
    lab.cluster.identity = 'Somebody,Oscilloscope,1,2'
    expect(await start(lab)).toStartWith(
      'startup error: cluster cluster0: it is no cluster: it identifies itself as "Somebody,Oscilloscope,1,2"',
    )
    await lab.cluster[Symbol.asyncDispose]()
    const off = await start(lab)
    expect(off).toMatch(/^startup error: cluster cluster0: 127\.0\.0\.1:\d+: nothing listens there/)
    expect(off).toContain('svc driver check')
  })

  test('on a cluster that is silent', async () => {
    const clock = new ExpiringClock([REPLY_MS])
    await using lab = await ClusterLab.start({ clock })
    lab.cluster.wire = new SilentWire(1, () => clock.expire())
    expect(await start(lab)).toMatch(
      /^startup error: cluster cluster0: 127\.0\.0\.1:\d+: \*DESCribe\?: no reply within 60 s$/m,
    )
  })
})

function escaped(text: string): string {
  return text.replaceAll(/[*?]/g, '\\$&')
}

/** Bytes with another text of the same length in the place of one. */
function swapped(bytes: Buffer, from: string, to: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')
}
