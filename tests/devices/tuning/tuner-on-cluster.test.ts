import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { type Clock, silentLog, systemClock } from '../../../src/base/index.ts'
import { createRng } from '../../../src/devices/index.ts'
import { provideSdk } from '../../../src/devices/provide-sdk.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { createTuner } from '../../../src/devices/tuning/tuner-device.ts'
import { TUNER_OPTIONS, type TunerOptions } from '../../../src/devices/tuning/tuner-options.ts'
import { FakeCluster } from '../../support/cluster/fake-cluster.ts'
import { readHardware } from '../../support/cluster/open-cluster.ts'
import { chipSource } from '../../support/cluster/physical/chip-source.ts'
import { chipOf, quietTruth } from '../../support/simulated-chip/chips.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const EXAMPLE = readFileSync(join(import.meta.dir, '../../../examples/scheduler.hardware.json'), 'utf8')
const ENABLED = ['resonator_spectroscopy', 'qubit_01_spectroscopy', 'rabi_oscillations']
const never = new AbortController().signal

/** Time limits of exchanges are real; waits for pulses, which the fake cluster plays at once, are short. */
const LIMITS_MS: ReadonlySet<number> = new Set([200, 1_000, 3_000, 60_000])
const clock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(LIMITS_MS.has(ms) || ms > 60_000 ? ms : ms / 1_000, signal),
}

describe.each(['1.0', '1.1'])('a tuner on a cluster with commands of version %s', (scpiVersion) => {
  test('calibrates a qubit from the first connection to the device file', async () => {
    const truth = quietTruth(2, 3)
    const { chip } = chipOf(truth)
    const hardware = readHardware(EXAMPLE)
    const modules = hardware.clusters[0]?.modules ?? new Map()
    await using cluster = await FakeCluster.start({
      modules,
      scpiVersion,
      source: chipSource(chip, hardware),
    })
    using folder = temporaryFolder()
    const at = (name: string) => join(folder.path, name)
    const content = JSON.parse(EXAMPLE)
    const { host, port, moduleBase } = cluster.address
    Object.assign(content.hardware_description.cluster0, {
      ip: `${host}:${port}`,
      module_base_port: moduleBase,
    })
    writeFileSync(at('hardware.json'), JSON.stringify(content))
    const { f01 = 0, readout } = truth.qubits['q0'] ?? {}
    writeFileSync(
      at('device.yml'),
      stringify({
        q0: {
          element_type: { path: 'svc.elements.CalibratedTransmon', args: ['q0'], kwargs: {} },
          reset: { duration: 5e-4 },
          rxy: { amp180: 0.2, motzoi: 0, duration: 56e-9 },
          measure: {
            ...{ pulse_amp: 0.3 * (readout?.critical_amplitude ?? 0), pulse_duration: 3e-6 },
            ...{ acq_delay: 300e-9, integration_time: 2.5e-6 },
          },
          clock_freqs: { f01: Math.round((f01 + 7e6) / 1e6) * 1e6, readout: (readout?.frequency ?? 0) - 2e6 },
        },
      }),
    )
    const routines = Object.fromEntries(
      BUILT_IN_ROUTINES.map(({ name }) => [
        name,
        ENABLED.includes(name) ? { shots: 20 } : { enabled: false },
      ]),
    )
    writeFileSync(at('calibration.yml'), stringify({ version: 1, routines }))
    const defaults = Object.fromEntries(
      Object.entries(TUNER_OPTIONS).map(([key, spec]) => [key, spec.default]),
    )
    const options = {
      ...{ ...defaults, scheduler_device_config: at('device.yml') },
      ...{ scheduler_hardware_config: at('hardware.json'), calibration_config: at('calibration.yml') },
    } as TunerOptions
    const tuner = await createTuner(
      {
        ...{ name: 'tuner', device: 'scheduler_a_tuner', options, raw: {}, environment: {} },
        ...{ dataDir: folder.path, log: silentLog, clock, signal: never },
        random: (seed = 1) => createRng(seed),
      },
      {
        routines: BUILT_IN_ROUTINES,
        openSimulated: () => Promise.reject(new Error('not asked for')),
        provideSdk,
      },
    )
    await tuner.start({ emit: () => undefined, signal: never, calibrateNow: async () => undefined })
    const findings = await tuner.calibrate(
      { runId: 'run000000000001', id: null, mode: 'partial', targetQubits: ['q0'] },
      { signal: never, progress: () => undefined },
    )
    await tuner.stop?.({ extend: () => undefined })
    const outcomes = findings.routines?.map(({ routine, status, error }) => [routine, status, error])
    expect(outcomes).toEqual(ENABLED.map((name) => [name, 'success', undefined]))
    expect(findings.backend).toBe('scheduler_a_tuner+cluster')
    const { q0 } = parse(readFileSync(at('device.yml'), 'utf8'))
    expect(Math.abs(q0.clock_freqs.f01 - f01)).toBeLessThan(1e6)
    expect(q0.rxy.amp180).not.toBe(0.2)
    expect(cluster.sequencers.some(({ sequencer }) => sequencer.config.seq_proc.sync_en)).toBe(false)
  }, 60_000)
})
