import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { createSimulatedChip } from '../../../src/devices/bench/simulated/simulated-chip.ts'
import { TRUTH_FILE } from '../../../src/devices/bench/simulated/truth/store.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { deviceFileOf } from '../../devices/compiler/support/calibrated-pair.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { CLIENT_FOLDER, CLIENT_TEST_ENV } from '../../support/python/client.ts'
import { runPytest } from '../../support/python/pytest.ts'
import { openAdaptersPython, openExperiments } from '../../support/python/python.ts'
import { EPOCH, quietTruth } from '../../support/simulated-chip/chips.ts'
import { qubitOf } from '../../support/simulated-chip/experiments.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { calibrationRuns } from '../../support/tuning/calibration-runs.ts'

/** Coherence times of the qubits, s: q0 and q1 differ, q2 has slow noise. */
const TIMES = [
  { t1: 40e-6, t2_star: 30e-6, t2_echo: 30e-6 },
  { t1: 15e-6, t2_star: 12e-6, t2_echo: 12e-6 },
  { t1: 40e-6, t2_star: 6e-6, t2_echo: 50e-6 },
  { t1: 40e-6, t2_star: 30e-6, t2_echo: 30e-6 },
]
/** What q3 plays of the amplitude and of the second quadrature that would be right. */
const WRONG = { amplitude: 1.06, quadrature: 1.3 }

/** Places a chip with its truth, a device file that fits it but for q3, and a hardware file into a folder. */
async function placeChip(folder: string): Promise<void> {
  const truth = { ...quietTruth(TIMES.length, 21), shots_noise: true }
  for (const [at, times] of TIMES.entries()) {
    const qubit = Object.assign(qubitOf(truth, `q${at}`), { ...times, thermal: 0, compression: 0 })
    qubit.readout.induced = 0
  }
  // Without noise of the couplers, which would dephase the qubits, too.
  for (const edge of Object.values(truth.edges)) edge.flux_noise = 0
  writeFileSync(join(folder, TRUTH_FILE), stringify(truth))
  const instrument = createSimulatedChip({ truth, clock: new FakeClock(Date.parse(EPOCH)) })
  const design = deviceFileOf(truth, instrument).replaceAll(
    /reset: {duration: .*?}/g,
    'reset: {duration: 3.0e-4}',
  )
  const { run, text, devicePath } = calibrationRuns(folder, design)
  const routines = BUILT_IN_ROUTINES.filter(({ name }) => name === 'two_state_discrimination')
  const findings = await run({
    routines: routines.map((routine) => ({ ...routine, dependsOn: [] })),
    setup: { instrument },
  })
  expect(findings.errors).toEqual([])
  const [right, wrong] = text().split(/^(?=q3:)/m)
  const scaled = (key: string, factor: number) => (part: string) =>
    part.replace(new RegExp(`(${key}: )([-.e\\d]+)`), (_, name, value) => `${name}${factor * Number(value)}`)
  const detuned = [scaled('amp180', WRONG.amplitude), scaled('motzoi', WRONG.quadrature)].reduce(
    (part, change) => change(part),
    wrong ?? '',
  )
  writeFileSync(devicePath, `${right}${detuned}`)
  const cluster0 = { instrument_type: 'Cluster', ref: 'internal', ip: `sim:${TRUTH_FILE}`, modules: {} }
  const config = {
    config_type: 'QbloxHardwareCompilationConfig',
    ...{ hardware_description: { cluster0 }, hardware_options: {}, connectivity: { graph: [] } },
  }
  writeFileSync(join(folder, 'hardware.json'), JSON.stringify(config))
}

const [adapters, experiments] = [await openAdaptersPython(), await openExperiments()]

test.skipIf(!(adapters && experiments))(
  'Qiskit Experiments finds what a simulated chip has',
  async () => {
    using folder = temporaryFolder()
    await placeChip(folder.path)
    const own = ['src', 'tests'].map((name) => join(CLIENT_FOLDER, name))
    const { status, summary, output } = await runPytest(
      adapters ?? '',
      join(import.meta.dir, 'experiments'),
      {
        paths: [...own, experiments ?? ''],
        args: ['test_experiments.py'],
        env: { ...CLIENT_TEST_ENV, SVC_CHIP: folder.path },
      },
    )
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
    expect(summary).toMatch(/^\d+ passed/)
  },
  600_000,
)
