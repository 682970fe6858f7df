import { describe, expect, test } from 'bun:test'
import { systemClock } from '../../../../../src/base/index.ts'
import { checkCluster } from '../../../../../src/devices/bench/cluster/check/check-cluster.ts'
import { openLinks } from '../../../../../src/devices/bench/cluster/dialect/links.ts'
import type { ModuleName } from '../../../../../src/devices/chip/hardware/modules.ts'
import { FakeCluster } from '../../../../support/cluster/fake-cluster.ts'

const MODULES = new Map<number, ModuleName>([
  [2, 'QCM_RF'],
  [5, 'QRM_RF'],
  [6, 'QCM'],
])
const LINES = [
  { name: 'q0:mw', slot: 2 },
  { name: 'q1:mw', slot: 2 },
  { name: 'q0:res', slot: 5 },
  { name: 'q0_q1:fl', slot: 6 },
]

interface CheckOptions {
  modules?: typeof MODULES
  reference?: 'internal' | 'external'
  isReset?: boolean
}

function check(cluster: FakeCluster, more: CheckOptions = {}) {
  const { modules = MODULES, reference = 'internal', isReset = false } = more
  const { address } = cluster
  return checkCluster({ address, modules, lines: LINES, reference, isReset, clock: systemClock })
}

describe.each(['1.0', '1.1'])('a check of a cluster with command set %s', (scpiVersion) => {
  test('goes through all steps, and leaves outputs as they are', async () => {
    await using cluster = await FakeCluster.start({ modules: MODULES, scpiVersion })
    const checks = await check(cluster)
    expect(checks.map(({ step, subject, passed }) => [step, subject, passed])).toEqual([
      ...['connection', 'command set', 'reference'].map((step) => [
        step,
        expect.stringMatching(/^127/),
        true,
      ]),
      ...[2, 5, 6].map((slot) => ['module', `slot ${slot}`, true]),
      ['error queues', expect.stringMatching(/^127/), true],
      ...LINES.map(({ name }) => ['program', name, true]),
      ['trace', 'slot 5', true],
    ])
    const commands = cluster.log.map(({ text }) => text)
    expect(commands.filter((text) => /\*RST|AFE:OFFSet|AFE:ATT|:LO\d|OUTAMP/.test(text))).toEqual([])
    expect(cluster.sequencers.every(({ sequencer }) => !sequencer.isSynced)).toBe(true)
  })

  test('ends at the first module that is another one', async () => {
    await using cluster = await FakeCluster.start({ modules: MODULES, scpiVersion })
    const checks = await check(cluster, { modules: new Map([...MODULES, [5, 'QRM'], [7, 'QCM']]) })
    expect(checks.at(-1)).toEqual({
      ...{ step: 'module', subject: 'slot 5', passed: false },
      detail: 'QRM_RF, the hardware file has a QRM',
    })
  })
})

test('a reference that the hardware file changes is named, one without a signal fails the check', async () => {
  await using cluster = await FakeCluster.start({ modules: MODULES })
  const referenceOf = async (reference: 'internal' | 'external') =>
    (await check(cluster, { reference })).find(({ step }) => step === 'reference')
  expect(await referenceOf('external')).toMatchObject({
    ...{ passed: true, detail: 'internal; a driver sets it to external, as in the hardware file' },
  })
  expect(cluster.reference).toBe('internal')
  cluster.reference = 'external'
  expect(await referenceOf('external')).toMatchObject({
    ...{ passed: false, detail: 'external, which the clocks do not follow' },
  })
  cluster.hasExternalReference = true
  expect(await referenceOf('external')).toMatchObject({ passed: true, detail: 'external' })
})

test('a reset names the outputs that lose their voltage', async () => {
  await using cluster = await FakeCluster.start({ modules: MODULES })
  const links = await openLinks(cluster.address, [6], systemClock)
  await links.module(6).send('AFE:OFFSet:DAC3 0.4')
  expect(await links.module(6).takeErrors()).toEqual([])
  links.close()
  const checks = await check(cluster, { isReset: true })
  expect(checks.find(({ step }) => step === 'reset')?.detail).toBe('set to 0: slot 6 output 3 (0.4 V)')
  expect(checks.at(-1)?.passed).toBe(true)
})

test('what is no cluster, or does not answer, fails the connection', async () => {
  await using cluster = await FakeCluster.start({ modules: MODULES })
  cluster.identity = 'Somebody,Oscilloscope,1,2'
  const [first, ...others] = await check(cluster)
  expect(first).toMatchObject({ step: 'connection', passed: false })
  expect(first?.detail).toContain('it is no cluster')
  expect(others).toEqual([])
  const { address } = cluster
  await cluster[Symbol.asyncDispose]()
  const [refused] = await checkCluster({
    ...{ address, modules: MODULES, lines: [], reference: 'internal', isReset: false, clock: systemClock },
  })
  expect(refused?.passed).toBe(false)
  expect(refused?.detail).toContain('it is the ip of the hardware file')
})
