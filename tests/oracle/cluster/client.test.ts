import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { FakeCluster } from '../../support/cluster/fake-cluster.ts'
import type { AcquisitionSource } from '../../support/cluster/run/played-run.ts'
import { openClusterPythons } from '../../support/python/python.ts'
import { startPython } from '../../support/python/python-process.ts'

setDefaultTimeout(120_000)

const pythons = await openClusterPythons()

const WINDOW_NS = 400
const SHOTS = 6
const WAVEFORMS = {
  top: { index: 0, data: Array<number>(20).fill(0.5) },
  zero: { index: 1, data: Array<number>(20).fill(0) },
}
const LOOP = ['wait_sync 4', 'upd_param 4', 'move 0,R0', `move ${SHOTS},R1`, 'nop', 'shot: reset_ph']
const READOUT = [
  ...['set_mrk 2', ...LOOP, 'set_awg_gain 16000,0', 'play 0,1,200', 'acquire 0,R0,4', 'add R0,1,R0'],
  ...['wait 996', 'loop R1,@shot', 'stop', ''],
]
const DRIVE = ['set_mrk 2', ...LOOP, 'set_awg_gain 16000,0', 'play 0,1,1200', 'loop R1,@shot', 'stop', '']

/** Shot `n` has I = 0.1 + 0.01 n and Q = −0.05. */
const numbered: AcquisitionSource = {
  async record({ sequencers }) {
    const all = (at: (shot: number) => number) => Float64Array.from({ length: SHOTS }, (_, shot) => at(shot))
    const recording = {
      ...{ i: all((shot) => 0.1 + 0.01 * shot), q: all(() => -0.05) },
      trace: async (length: number) => ({
        i: new Float64Array(length).fill(0.25),
        q: new Float64Array(length),
      }),
    }
    return new Map(sequencers.map((each) => [each, each.binSteps.map(() => recording)]))
  },
}

interface Acquired {
  readout: {
    acquisition: {
      scope: { path0: { data: number[]; avg_cnt: number }; path1: { data: number[] } }
      bins: { integration: { path0: number[]; path1: number[] }; threshold: number[]; avg_cnt: number[] }
    }
  }
}

/** A loopback address of this process: the older client looks for modules at ports that cannot be chosen. */
const HOST = `127.${1 + (process.pid % 250)}.${Math.floor(process.pid / 250) % 250}.9`

describe.skipIf(!pythons).each([
  ['1.1.1', '1.0'],
  ['1.4.1', '1.1'],
] as const)('the client %s of the vendor, command set %s', (version, scpiVersion) => {
  async function open() {
    const { interpreter, paths } = pythons?.[version] ?? { interpreter: '', paths: [] }
    const modules = new Map([
      [2, 'QCM'],
      [4, 'QCM_RF'],
      [6, 'QRM_RF'],
    ] as const)
    const place = { host: HOST, moduleBase: 25_000 }
    const cluster = await FakeCluster.start({ modules, scpiVersion, ...place, source: numbered })
    const client = startPython(interpreter, join(import.meta.dir, 'client.py'), paths)
    expect(await client.ask<string>({ ask: 'open', ...cluster.address })).toBe(version)
    return {
      cluster,
      call: <T>(path: string, ...args: unknown[]) => client.ask<T>({ ask: 'call', path, args }),
      upload: (sequencer: string, sequence: object) =>
        client.ask({ ask: 'sequence', path: `${sequencer}.sequence`, sequence }),
      async [Symbol.asyncDispose]() {
        await client[Symbol.asyncDispose]()
        await cluster[Symbol.asyncDispose]()
      },
    }
  }

  test('goes through a whole measurement with the fake cluster', async () => {
    await using lab = await open()
    const { cluster, call, upload } = lab
    for (const module of ['module2', 'module4', 'module6']) await call(`${module}.disconnect_outputs`)
    await call('module6.disconnect_inputs')
    const settings = {
      ...{ 'module6.out0_in0_lo_freq': 6_600_000_000, 'module6.out0_in0_lo_en': true },
      ...{ 'module6.out0_att': 20, 'module6.in0_att': 4, 'module4.out1_lo_freq': 4_850_000_000 },
      ...{ 'module4.out1_att': 10, 'module2.out1_offset': 0.25 },
      ...{ 'module6.sequencer0.sync_en': true, 'module6.sequencer0.mod_en_awg': true },
      ...{ 'module6.sequencer0.demod_en_acq': true, 'module6.sequencer0.nco_freq': 100e6 },
      ...{ 'module6.sequencer0.gain_awg_path0': 0.5, 'module6.sequencer0.offset_awg_path1': 0.125 },
      'module6.sequencer0.integration_length_acq': WINDOW_NS,
      'module6.sequencer0.thresholded_acq_rotation': 31.4,
      'module6.sequencer0.thresholded_acq_threshold': 50,
      ...{ 'module4.sequencer1.sync_en': true, 'module4.sequencer1.nco_freq': -50e6 },
      ...{ 'module6.scope_acq_sequencer_select': 0, 'module6.scope_acq_avg_mode_en_path0': true },
      'module6.scope_acq_avg_mode_en_path1': true,
    }
    for (const [path, value] of Object.entries(settings)) {
      await call(path, value)
      const read = await call<number | boolean>(path)
      expect(Number(read), path).toBeCloseTo(Number(value), 4)
    }
    await call('module6.sequencer0.connect_sequencer', 'io0')
    await call('module4.sequencer1.connect_sequencer', 'out1')
    expect(cluster.modules.get(4)?.sequencers[1]?.outputs).toEqual([[2], [3]])
    expect(cluster.modules.get(6)?.frontEnd.values.get('STATus:QUEStionable:FREQuency:LO1')).toBe(6.6e9)

    const common = { waveforms: WAVEFORMS, weights: {} }
    await upload('module6.sequencer0', {
      ...{ ...common, program: READOUT.join('\n') },
      acquisitions: { readout: { num_bins: SHOTS, index: 0 } },
    })
    await upload('module4.sequencer1', { ...common, program: DRIVE.join('\n'), acquisitions: {} })
    expect(Object.keys(await call<object>('module6.sequencer0.get_waveforms'))).toEqual(['top', 'zero'])
    await call('module6.sequencer0.arm_sequencer')
    await call('module4.sequencer1.arm_sequencer')
    await call('start_sequencer')
    const done = await call<unknown[]>('module6.sequencer0.get_sequencer_status', 1)
    expect(done.slice(0, 2)).toEqual(['OKAY', 'STOPPED'])
    expect(done.slice(-4)).toEqual([['ACQ_BINNING_DONE'], [], [], []])
    const other = await call<unknown[]>('module4.sequencer1.get_sequencer_status', 1)
    expect(other.slice(0, 2)).toEqual(['OKAY', 'STOPPED'])
    expect(other.slice(-4)).toEqual([[], [], [], []])
    expect(await call('module6.sequencer0.get_acquisition_status', 1)).toBe(true)

    await call('module6.sequencer0.store_scope_acquisition', 'readout')
    const { readout } = await call<Acquired>('module6.sequencer0.get_acquisitions')
    const { bins, scope } = readout.acquisition
    const [cos, sin] = [Math.cos((31.4 * Math.PI) / 180), Math.sin((31.4 * Math.PI) / 180)]
    for (let shot = 0; shot < SHOTS; shot++) {
      const [i, q] = [0.1 + 0.01 * shot, -0.05]
      expect(bins.integration.path0[shot]).toBeCloseTo(i * WINDOW_NS, 4)
      expect(bins.integration.path1[shot]).toBeCloseTo(q * WINDOW_NS, 4)
      expect(bins.threshold[shot]).toBe((i * cos - q * sin) * WINDOW_NS > 50 ? 1 : 0)
    }
    expect(new Set(bins.threshold)).toEqual(new Set([0, 1]))
    expect(scope.path0.data[0]).toBeCloseTo(0.25, 2)
    expect(scope.path0.data).toHaveLength(WINDOW_NS)

    await call('stop_sequencer')
    expect(await call<unknown[]>('get_system_status')).toContain('OKAY')
    await call('reset')
    expect(await call('module2.out1_offset')).toBe(0)
    await call('close')
    const used = new Set(cluster.log.map(({ slot }) => slot))
    expect(used.has(4)).toBe(version === '1.4.1')
  })

  test('reports a program that the assembler refuses', async () => {
    await using lab = await open()
    const { call, upload } = lab
    const sequence = { program: 'play 0\nstop\n', waveforms: WAVEFORMS, weights: {}, acquisitions: {} }
    const attempt = async () => {
      await upload('module4.sequencer0', sequence)
      await call('module4.sequencer0.arm_sequencer')
      await call('start_sequencer')
    }
    await expect(attempt()).rejects.toThrow('Assembly failed.')
    expect(await call<string>('module4.get_assembler_log')).toContain('play')
    await call('close')
  })
})
