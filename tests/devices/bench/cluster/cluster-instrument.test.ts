import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../../src/base/index.ts'
import { ClusterInstrument } from '../../../../src/devices/bench/cluster/cluster-instrument.ts'
import { readHardwareFile } from '../../../../src/devices/chip/hardware/hardware-file.ts'
import type { AcquisitionKind, Program } from '../../../../src/devices/pulse/schedule.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { type Recorded, ScriptedCluster } from './support/scripted-cluster.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const read = readHardwareFile(
  readFileSync(join(import.meta.dir, '../../../../examples/scheduler.hardware.json'), 'utf8'),
)
if ('problems' in read) throw new Error(read.problems.join('\n'))
const hardware = read

const MODULES = {
  2: { model: 'cluster_qcm', is_rf: true },
  3: { model: 'cluster_qcm', is_rf: true },
  4: { model: 'cluster_qcm', is_rf: true },
  5: { model: 'cluster_qrm', is_rf: true },
  6: { model: 'cluster_qcm', is_rf: false },
}

const NEVER = new AbortController().signal
const WINDOW_NS = 400
/** I of a bin whose mean is 1 V. */
const ONE_VOLT = WINDOW_NS * 2 ** 22

type Script = ConstructorParameters<typeof ScriptedCluster>[0]

async function open(script: Partial<Script> = {}) {
  const cluster = await new ScriptedCluster({ dialect: 'ported', modules: MODULES, ...script }).listen()
  const instrument = new ClusterInstrument({
    ...{ hardware, name: 'cluster0', modules: hardware.clusters[0]?.modules ?? new Map(), user: 'test' },
    address: { host: '127.0.0.1', port: cluster.port, moduleBase: cluster.moduleBase },
    ...{ clock: systemClock, log: silentLog, lockFolder: folder.path },
  })
  return {
    cluster,
    instrument,
    async [Symbol.asyncDispose]() {
      await instrument.close()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

/** A rotation of q0 and the readout of q0 and q1. */
function readout<Kind extends AcquisitionKind>(kind: Kind, shots: number): Program<Kind> {
  const square = { duration: 500, phase: 0, amplitude: 0.2, envelope: { shape: 'square' as const } }
  const window = { at: 200, duration: WINDOW_NS }
  return {
    ...{ kind, shots, reset_ns: 1_000 },
    points: [
      {
        duration: 1_000,
        pulses: [
          { ...square, at: 0, duration: 40, port: 'q0:mw', frequency: 4.42e9 },
          { ...square, at: 100, port: 'q0:res', frequency: 6.5e9 },
          { ...square, at: 100, port: 'q1:res', frequency: 6.6e9 },
        ],
        acquisitions: [
          { ...window, port: 'q0:res', frequency: 6.5e9, qubit: 'q0' },
          { ...window, port: 'q1:res', frequency: 6.6e9, qubit: 'q1' },
        ],
      },
    ],
  }
}

/** Two shots a sequencer: I is 1 V and 2 V times the number of the sequencer + 1. */
const twoShots = (_: number, sequencer: number): Recorded => ({
  bins: [1, 2].map((each) => ({ i: each * (sequencer + 1) * ONE_VOLT, q: -ONE_VOLT, count: 1 })),
})

describe.each(['prefixed', 'ported'] as const)('a cluster with %s commands', (dialect) => {
  test('puts sequencers to rest, uploads, arms, starts and reads', async () => {
    await using opened = await open({ dialect, recorded: twoShots })
    const { cluster, instrument } = opened
    await instrument.open()
    const atRest = cluster.received.filter(({ command }) => command.endsWith('SEQuencer0:CONFiguration'))
    expect(atRest).toHaveLength(5)
    expect(JSON.parse(atRest[0]?.block ?? '')).toMatchObject({
      seq_proc: { sync_en: false, trg: [1] },
      awg: [{ offs_path: [0, 0], gain_path: [0, 0] }],
      acq: [{ ttl: { in: 1 } }],
    })
    cluster.received.splice(0)
    const [[first, second] = []] = await instrument.run(readout('shots', 2), NEVER)
    expect([...(first?.i ?? []), ...(first?.q ?? [])]).toEqual([1, 2, -1, -1])
    expect([...(second?.i ?? [])]).toEqual([2, 4])
    const drive = cluster.commands(2).map((command) => command.replace(/^SLOT:/, ''))
    expect(drive).toContain('STATus:QUEStionable:FREQuency:LO0 4350000000')
    expect(drive.indexOf('SEQuencer0:PROGram')).toBeGreaterThan(-1)
    expect(drive.indexOf('SEQuencer0:ARM')).toBeGreaterThan(drive.indexOf('SEQuencer0:PROGram'))
    const starts = cluster.received.filter(({ command }) => /^(SLOT:)?SEQuencer:START$/.test(command))
    expect(starts.map(({ slot }) => slot)).toEqual(dialect === 'ported' ? [2, 5] : [0])
    const readoutConfig = cluster.received.find(
      ({ slot, command }) => slot === 5 && command.endsWith('SEQuencer1:CONFiguration'),
    )
    expect(JSON.parse(readoutConfig?.block ?? '')).toMatchObject({
      seq_proc: { sync_en: true },
      acq: [{ demod: { en: true }, th_acq: { non_weighed_integration_len: WINDOW_NS } }],
    })
    // After the run, nothing is left that plays or waits.
    const last = cluster.received.findLast(({ command }) => command.endsWith('SEQuencer1:CONFiguration'))
    expect(JSON.parse(last?.block ?? '')).toMatchObject({ seq_proc: { sync_en: false } })
    expect(cluster.received.findLast(({ command }) => command.endsWith(':CHANnelmap'))?.block).toBe('[[],[]]')
  })

  test('sends settings and sequences once', async () => {
    await using opened = await open({ dialect, recorded: twoShots })
    const { cluster, instrument } = opened
    await instrument.open()
    await instrument.run(readout('shots', 2), NEVER)
    cluster.received.splice(0)
    await instrument.run(readout('shots', 2), NEVER)
    const again = cluster.commands().join('\n')
    expect(again).not.toMatch(/PROGram|WAVeform|LO0|ATT/)
    expect(again).toContain('ACQ:ALISt:ACQuisition:DATA:DELete "all"')
  })

  test('records traces, one readout line of a module at a time', async () => {
    const scope = Array.from({ length: 16_384 }, (_, t) => 2 * Math.round(1_024 * Math.cos(0.7 * t)))
    await using opened = await open({ dialect, recorded: () => ({ bins: [], scope }) })
    const { cluster, instrument } = opened
    const program = readout('trace', 2)
    const [[first, second] = []] = await instrument.run(program, NEVER)
    expect(first?.i).toHaveLength(WINDOW_NS)
    const lo = 6.6e9
    const angle = (2 * Math.PI * (6.5e9 - lo) * (200 + 7)) / 1e9
    expect(Math.hypot(first?.i[7] ?? 0, first?.q[7] ?? 0)).toBeCloseTo(
      Math.abs(Math.cos(4.9)) * 0.5 * Math.SQRT2,
      3,
    )
    const raw = 0.5 * Math.cos(4.9)
    expect(first?.i[7]).toBeCloseTo(raw * Math.cos(angle) + raw * Math.sin(angle), 3)
    expect(second?.i[7]).toBeCloseTo(raw, 3)
    const selected = cluster.received.filter(({ command }) => command.endsWith('ACQ:SCOpe:CONFiguration'))
    expect(selected.map(({ block }) => JSON.parse(block))).toEqual([
      { sel_path: [0, 0], avg_en_path: [true, true], trig: { mode_path: [false, false] }, more: 1 },
      { sel_path: [1, 1], avg_en_path: [true, true], trig: { mode_path: [false, false] }, more: 1 },
    ])
  })
})

describe('a cluster', () => {
  test('that is another instrument, or has other modules, is no start', async () => {
    await using other = await open({ replies: { '0 *IDN?': () => 'Rohde&Schwarz,SMW200A,1,5.0\n' } })
    await expect(other.instrument.open()).rejects.toThrow(
      /startup error: cluster cluster0: .*it is no cluster/,
    )
    const { 4: _, ...without } = MODULES
    await using changed = await open({
      modules: { ...without, 6: { model: 'cluster_qrm', is_rf: false } },
    })
    await expect(changed.instrument.open()).rejects.toThrow(
      'slot 4 has no module, the hardware file a QCM_RF; slot 6 has a QRM, the hardware file a QCM',
    )
  })

  test('fails a run in the words of its modules', async () => {
    const refuse = () => {
      cluster.errors.push('Assembly failed.')
      return undefined
    }
    await using opened = await open({
      recorded: twoShots,
      replies: {
        '2 SEQuencer0:PROGram': refuse,
        '2 STATus:ASSEMbler:LOG?': () => '#211ERROR: no\n9\r\n',
      },
    })
    const { cluster, instrument } = opened
    await expect(instrument.run(readout('shots', 2), NEVER)).rejects.toThrow(
      'the module in slot 2 refused a sequence: -100,"Assembly failed." (assembler, sequencer 0: ERROR: no)',
    )
  })

  test.each([
    ['OKAY;STOPPED;ACQ_BINNING_DONE,FORCED STOP,;;;', /q0:res failed: FORCED_STOP \(slot 5, sequencer 0\)/],
    ['ERROR;STOPPED;0;;;OUTPUT OVERFLOW,;log', /q0:res failed: OUTPUT_OVERFLOW/],
  ])('fails a run by the flags of %p', async (state, problem) => {
    await using opened = await open({
      recorded: twoShots,
      replies: { '5 SEQuencer0:STATE?': () => `${state}\n` },
    })
    await expect(opened.instrument.run(readout('shots', 2), NEVER)).rejects.toThrow(problem)
  })

  test('warns of inputs out of range', async () => {
    const state = 'WARNING;STOPPED;ACQ_BINNING_DONE,;ACQ_INTEGRATOR_OUT_OF_RANGE_PATH_0,;;\n'
    await using opened = await open({ recorded: twoShots, replies: { '5 SEQuencer1:STATE?': () => state } })
    await opened.instrument.run(readout('shots', 2), NEVER)
    expect(opened.instrument.takeWarnings()).toEqual(['q1:res: ACQ_INTEGRATOR_OUT_OF_RANGE_PATH_0'])
    expect(opened.instrument.takeWarnings()).toEqual([])
  })

  test('has no results where a bin was not written', async () => {
    const recorded = () => ({ bins: [{ i: 1, q: 1, count: 1 }] })
    await using opened = await open({ recorded })
    await expect(opened.instrument.run(readout('shots', 2), NEVER)).rejects.toThrow(
      'no data for q0 (bin 1 of 2 invalid)',
    )
  })

  test('that is silent ends a run with its signal, and the next run works', async () => {
    const aborting = new AbortController()
    let isSilent = true
    const state = () => {
      if (!isSilent) return undefined
      aborting.abort(new Error('time is up'))
      return ''
    }
    await using opened = await open({ recorded: twoShots, replies: { '5 SEQuencer0:STATE?': state } })
    const { cluster, instrument } = opened
    await instrument.open()
    await expect(instrument.run(readout('shots', 2), aborting.signal)).rejects.toThrow('time is up')
    await Promise.resolve()
    isSilent = false
    const [[first] = []] = await instrument.run(readout('shots', 2), NEVER)
    expect(first?.i).toHaveLength(2)
    expect(cluster.commands().filter((command) => command === '*DESCribe?').length).toBeGreaterThan(1)
  })

  test('has a snapshot of what it was set to', async () => {
    await using opened = await open({ recorded: twoShots })
    await opened.instrument.run(readout('shots', 2), NEVER)
    expect(await opened.instrument.snapshot()).toMatchObject({
      identity: expect.stringContaining('Cluster MM'),
      modules: { 5: 'QRM_RF', 6: 'QCM' },
      values: { '5 STATus:QUEStionable:FREQuency:LO1': '6600000000' },
      sequencers: { '5.0': { outputs: [[0], [1]], inputs: [[0], [1]], setup: { isSynced: true } } },
    })
  })

  test('holds and reads static voltages', async () => {
    await using opened = await open()
    expect(await opened.instrument.readVolts(6, 3)).toBe(0.125)
    await opened.instrument.writeVolts(6, 3, -0.25)
    await opened.instrument.readVolts(6, 3)
    expect(opened.cluster.commands(6)).toContain('AFE:OFFSet:DAC3 -0.25')
  })
})
