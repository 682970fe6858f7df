import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { TRUTH_FILE } from '../../../src/devices/bench/simulated/truth/store.ts'
import type { Routine } from '../../../src/devices/tuning/routine.ts'
import { deviceFileOf } from '../../devices/compiler/support/calibrated-pair.ts'
import { openProcess, payloadOf, runJob } from '../../devices/support/jobs.ts'
import { chipOf, quietTruth } from '../simulated-chip/chips.ts'
import { openBench, type TunerBench } from './acceptance/cold-run.ts'
import { configOf } from './pair-lab.ts'

const READOUT = ['ro_two_state_optimization', 'ro_duration_optimization', 'two_state_discrimination']

interface LineOptions {
  folder: string
  qubits: number
  /** Share of the signal of one resonator in the window of another. */
  crosstalk: number
  seed?: number
  /** Names of the routines that run, beside those of a readout. */
  more?: readonly string[]
  routines?: readonly Routine[]
  /** Changes the chip before anything follows from it. */
  adjust?: (truth: ChipTruth) => void
}

/** A row of qubits on one readout line whose gates are calibrated, and whose readout is to be. */
export function openLine({ folder, qubits, crosstalk, seed = 1, more = [], routines, adjust }: LineOptions) {
  const truth = { ...quietTruth(qubits, seed), shots_noise: true }
  for (const line of Object.values(truth.readout_lines)) line.crosstalk = crosstalk
  adjust?.(truth)
  writeFileSync(join(folder, TRUTH_FILE), stringify(truth))
  const deviceFile = deviceFileOf(truth, chipOf(truth).chip).replaceAll(
    'reset: {duration: 0.1}',
    'reset: {duration: 5.0e-4}',
  )
  const enabled = [...READOUT, ...more]
  const config = configOf(Object.fromEntries(enabled.map((name) => [name, '{}'])))
  return openBench({ folder, deviceFile, seed, config, isObserved: false, ...(routines && { routines }) })
}

/** Counts of programs that `scheduler_a` runs on the chip of a bench. */
export async function countsOn(
  { devicePath, clock }: TunerBench,
  folder: string,
  programs: readonly string[],
  shots: number,
): Promise<Record<string, number>[]> {
  const hardware = join(folder, 'jobs.hardware.json')
  const cluster0 = { instrument_type: 'Cluster', ref: 'internal', ip: `sim:${TRUTH_FILE}`, modules: {} }
  const config = {
    config_type: 'QbloxHardwareCompilationConfig',
    ...{ hardware_description: { cluster0 }, connectivity: { graph: [] } },
  }
  writeFileSync(hardware, JSON.stringify(config))
  const options = [`scheduler_device_config=${devicePath}`, `scheduler_hardware_config=${hardware}`]
  const device = await openProcess('scheduler_a', options, clock)
  const { circuit_results } = await runJob(device, payloadOf([...programs], { shots }))
  await device.stop?.({ extend: () => undefined })
  return circuit_results.map(({ counts = {} }) => counts)
}
