import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, silentLog } from '../../../src/base/index.ts'
import {
  createSimulatedChip,
  type SimulatedChip,
} from '../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import type { CalibrateDevice, CalibrationIo } from '../../../src/devices/define-device.ts'
import { createRng } from '../../../src/devices/index.ts'
import { provideSdk } from '../../../src/devices/provide-sdk.ts'
import { openPythonRoutines } from '../../../src/devices/tuning/python-routines/open-routines.ts'
import type { Routine } from '../../../src/devices/tuning/routine.ts'
import { ROUTINES } from '../../../src/devices/tuning/routine-names.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { createTuner } from '../../../src/devices/tuning/tuner-device.ts'
import { TUNER_OPTIONS, type TunerOptions } from '../../../src/devices/tuning/tuner-options.ts'
import type { CalibrationFindings, CalibrationMode, CalibrationStep } from '../../../src/protocol/index.ts'
import { FakeClock } from '../fake-clock.ts'
import { EPOCH } from '../simulated-chip/chips.ts'
import { calibratedValues } from './simulated-pair.ts'

const SHORT_MS = 1_000

/** A clock that stands at the epoch of the chip: short sleeps take no time, time limits are never over. */
function standingClock(): Clock {
  const limits = new FakeClock()
  let time = 0
  return {
    now: () => Date.parse(EPOCH),
    monotonic: () => time,
    async sleep(ms, signal) {
      if (ms > SHORT_MS) return limits.sleep(ms, signal)
      time += ms
    },
  }
}

/** A device file of a pair whose qubits are calibrated, and whose edge has a coupler. */
export function deviceText(truth: ChipTruth): string {
  const names = Object.keys(truth.qubits)
  const qubits = names.map((name) => {
    const modules = new Map<string, string[]>()
    for (const [path, value] of Object.entries(calibratedValues(truth, name))) {
      const [module = '', key = ''] = path.split('.')
      modules.set(module, [...(modules.get(module) ?? []), `${key}: ${value.toExponential()}`])
    }
    const lines = [...modules].map(([module, values]) => `  ${module}: {${values.join(', ')}}`)
    return [`${name}:`, `  element_type: {path: svc.CalibratedTransmon, args: [${name}]}`, ...lines].join(
      '\n',
    )
  })
  const [parent, child] = names
  const ends = `parent_element_name: ${parent}, child_element_name: ${child}`
  return `${qubits.join('\n')}
${parent}_${child}:
  element_type: {path: svc.FluxTunableCoupler, kwargs: {${ends}}}
  clock_freqs: {cz: 3.0e+8}
  cz: {square_amp: 0.5, square_duration: 1.0e-7}
  bias: {source: spi, spi_module: 2, spi_output: 0, parking_current: 0.0}
`
}

/** A calibration file that enables these routines only, with settings in the form of the file. */
export function configOf(enabled: Readonly<Record<string, string>>): string {
  const lines = ROUTINES.map(({ name }) => `  ${name}: ${enabled[name] ?? '{enabled: false}'}`)
  return ['version: 1', 'routines:', ...lines, ''].join('\n')
}

/** A chip whose only coupler has this current, A. */
export function simulatedAt(truth: ChipTruth, amps: number): SimulatedChip {
  const held = Object.keys(truth.edges).map((edge): [string, number] => [edge, amps])
  return createSimulatedChip({ truth, clock: standingClock(), initialCurrents: new Map(held) })
}

interface LabOptions {
  readonly routines: Readonly<Record<string, string>>
  /** Called before each ramp of a current, counted from 1. */
  onRamp?(count: number): void | Promise<void>
  /** The chip of a former tuner, which holds its currents. */
  readonly chip?: SimulatedChip
  readonly isDummy?: boolean
  /** In place of the built-in ones. */
  readonly builtIn?: readonly Routine[]
  /** Paths of the edge that are never changed. */
  readonly pinned?: readonly string[]
  /** Path of the hardware file. */
  readonly hardware?: string
}

/** A tuner with a simulated pair, in a folder of its own. */
export async function pairLab(folder: string, truth: ChipTruth, options: LabOptions) {
  const { routines, onRamp, isDummy = false, hardware } = options
  const { builtIn = BUILT_IN_ROUTINES, pinned = [] } = options
  const clock = standingClock()
  const edge = Object.keys(truth.edges)[0] ?? ''
  const chip = options.chip ?? simulatedAt(truth, 0)
  const path = join(folder, 'scheduler.device.yml')
  const config = join(folder, 'calibration.yml')
  if (!options.chip) writeFileSync(path, deviceText(truth))
  writeFileSync(config, `${configOf(routines)}pin: {${edge}: [${pinned.join(', ')}]}\n`)
  const ramps: { amps: number; rate: number }[] = []
  const currents: SimulatedChip['currents'] = {
    ...chip.currents,
    async ramp(name, amps, how) {
      ramps.push({ amps, rate: how.rate })
      await onRamp?.(ramps.length)
      await chip.currents.ramp(name, amps, how)
    },
  }
  const defaults = Object.fromEntries(Object.entries(TUNER_OPTIONS).map(([key, spec]) => [key, spec.default]))
  const given = {
    ...defaults,
    ...{ scheduler_device_config: path, calibration_config: config },
    ...{ is_simulated: !isDummy, is_dummy: isDummy },
    ...(hardware !== undefined && { scheduler_hardware_config: hardware }),
  } as TunerOptions
  const tuner: CalibrateDevice = await createTuner(
    {
      ...{ name: 'tuner', device: 'scheduler_a_tuner', options: given, raw: {}, environment: {} },
      ...{ dataDir: folder, log: silentLog, clock, signal: new AbortController().signal },
      random: (seed = 1) => createRng(seed),
    },
    {
      routines: builtIn,
      provideSdk,
      openPythonRoutines,
      openSimulated: async () => ({ ...chip, currents }),
    },
  )
  const stop = new AbortController()
  const steps: CalibrationStep[] = []
  return {
    ...{ tuner, chip, path, edge, ramps, stop, steps },
    run(
      mode: CalibrationMode,
      onStep: (step: CalibrationStep) => void = () => undefined,
      targetQubits: string[] = [],
    ) {
      const io: Pick<CalibrationIo, 'signal' | 'progress'> = {
        signal: stop.signal,
        progress(step) {
          steps.push(step)
          onStep(step)
        },
      }
      const request = { runId: 'run000000000001', id: null, mode, targetQubits }
      return tuner.calibrate(request, io as CalibrationIo) as Promise<CalibrationFindings>
    },
    /** A value of the device file. */
    value(element: string, at: string): unknown {
      const file = readDeviceFile(readFileSync(path, 'utf8'))
      if ('problems' in file) throw new Error(file.problems.join('\n'))
      return file.chip.element(element)?.values.get(at)
    },
  }
}
