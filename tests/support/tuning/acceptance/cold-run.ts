import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, silentLog } from '../../../../src/base/index.ts'
import { openSimulatedChip } from '../../../../src/devices/bench/simulated/open-simulated-chip.ts'
import type { SimulatedChip } from '../../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { BringUp } from '../../../../src/devices/bench/simulated/truth/draw-qubit.ts'
import { Drift } from '../../../../src/devices/bench/simulated/truth/drift.ts'
import { loadTruth, TRUTH_FILE } from '../../../../src/devices/bench/simulated/truth/store.ts'
import { truthAt } from '../../../../src/devices/bench/simulated/truth/truth-at.ts'
import type { CalibrateDevice, CalibrationRequest } from '../../../../src/devices/define-device.ts'
import { createRng } from '../../../../src/devices/index.ts'
import { provideSdk } from '../../../../src/devices/provide-sdk.ts'
import type { Program } from '../../../../src/devices/pulse/schedule.ts'
import { openPythonRoutines } from '../../../../src/devices/tuning/python-routines/open-routines.ts'
import type { Routine } from '../../../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { createTuner } from '../../../../src/devices/tuning/tuner-device.ts'
import { TUNER_OPTIONS, type TunerOptions } from '../../../../src/devices/tuning/tuner-options.ts'
import { isPrecise } from '../../../../src/devices/tuning/walk/first-shots.ts'
import type { CalibrationFindings, CalibrationStep } from '../../../../src/protocol/index.ts'
import { FakeClock } from '../../fake-clock.ts'
import { EPOCH } from '../../simulated-chip/chips.ts'
import { distancesOf, possibleChips } from './distances.ts'
import type { Judged, Taken } from './taken.ts'

export interface BenchOptions {
  /** The data folder, which gets the files of the tuner. */
  folder: string
  /** Content of the device file; that of the folder when absent. */
  deviceFile?: string
  /** False for routines as they are, whose findings are not compared with the truth. */
  isObserved?: boolean
  /** The chip as the tuner gets it. */
  wrapChip?: (chip: SimulatedChip) => SimulatedChip | Promise<SimulatedChip>
  /** A clock that a former bench on the same chip used. */
  clock?: FakeClock
  seed: number
  bringUp?: BringUp
  /** Content of `calibration.yml`. */
  config?: string
  routines?: readonly Routine[]
  options?: Partial<TunerOptions>
  log?: Log
}

/** A tuner with a simulated chip whose time passes as that of a real one: by the length of each program. */
export interface TunerBench {
  readonly tuner: CalibrateDevice
  readonly chip: SimulatedChip
  readonly truth: ChipTruth
  readonly clock: FakeClock
  readonly devicePath: string
  /** What the routines found, beside the truth at that time, oldest first. */
  readonly observed: Observation[]
  calibrate(request?: Partial<CalibrationRequest>, io?: Partial<BenchIo>): Promise<CalibrationFindings>
}

/** One measurement that found something. */
export interface Observation {
  taken: Taken
  judged: Judged[]
}

interface BenchIo {
  signal: AbortSignal
  progress(step: CalibrationStep): void
}

/** The name of the device file in the folder of a bench. */
export const DEVICE_FILE = 'scheduler.device.yml'

/** Opens a tuner on a chip that is drawn from a seed around the device file. */
export async function openBench(options: BenchOptions): Promise<TunerBench> {
  const {
    folder,
    deviceFile,
    seed,
    bringUp,
    config = 'version: 1\n',
    routines = BUILT_IN_ROUTINES,
    isObserved = true,
  } = options
  const devicePath = join(folder, DEVICE_FILE)
  const configPath = join(folder, 'calibration.yml')
  if (deviceFile !== undefined) writeFileSync(devicePath, deviceFile)
  writeFileSync(configPath, config)
  const { clock = new FakeClock(Date.parse(EPOCH)) } = options
  const observations: Observation[] = []
  let chip: SimulatedChip | undefined
  let truth: ChipTruth | undefined
  const opened = () => {
    if (!chip || !truth) throw new Error('the chip is not open')
    return { chip, truth }
  }
  const defaults = Object.fromEntries(Object.entries(TUNER_OPTIONS).map(([key, spec]) => [key, spec.default]))
  const tuner = await createTuner(
    {
      ...{ name: 'tuner', device: 'scheduler_a_tuner', raw: {}, environment: {}, dataDir: folder },
      options: {
        ...defaults,
        ...{ scheduler_device_config: devicePath, calibration_config: configPath, is_simulated: true },
        ...options.options,
      } as TunerOptions,
      ...{ log: options.log ?? silentLog, clock, signal: new AbortController().signal },
      random: (of = seed) => createRng(of),
    },
    {
      routines: isObserved
        ? routines.map((routine) => observed(routine, { opened, clock }, (each) => observations.push(each)))
        : routines,
      provideSdk,
      openPythonRoutines,
      openSimulated: async (opening) => {
        const found = await openSimulatedChip({ ...opening, seed, ...(bringUp && { bringUp }) })
        chip = passingTime((await options.wrapChip?.(found)) ?? found, clock)
        truth = await loadTruth(join(folder, TRUTH_FILE), () => {
          throw new Error('the chip has no file')
        })
        return chip
      },
    },
  )
  const run = { signal: new AbortController().signal, progress: () => undefined }
  return {
    ...{ tuner, ...opened(), clock, devicePath, observed: observations },
    calibrate: (request, io) =>
      tuner.calibrate(
        { runId: 'run000000000001', id: null, mode: 'full', targetQubits: [], ...request },
        { ...run, ...io },
      ),
  }
}

/** The coupler of an edge as it is now: its offset drifts, and jumps every few days. */
function couplerOf({ currents }: SimulatedChip, truth: ChipTruth, target: string, nowMs: number) {
  const seconds = ((nowMs - Date.parse(truth.epoch)) / 1000) * truth.time_scale
  const edge = truthAt(truth, new Drift(truth.seed), seconds).edges[target]
  if (!edge) return undefined
  const leaks = Object.entries(edge.flux_leak).map(([other, leak]) => leak * currents.heldIn(other))
  return { edge, held: currents.heldIn(target), shared: leaks.reduce((sum, leak) => sum + leak, 0) }
}

/** The chip with a clock that moves by the time that an instrument needs for each program. */
function passingTime(chip: SimulatedChip, clock: FakeClock): SimulatedChip {
  return {
    ...chip,
    async run(program, signal) {
      const results = await chip.run(program, signal)
      clock.jump(durationMs(program))
      return results
    },
  }
}

function durationMs({ points, shots, reset_ns }: Program): number {
  return points.reduce((sum, { duration }) => sum + (shots * (duration + reset_ns)) / 1e6, 0)
}

/** The routine, whose findings are noted with the truth at that time: it sees nothing of that. */
function observed(
  routine: Routine,
  { opened, clock }: { opened: () => { chip: SimulatedChip; truth: ChipTruth }; clock: FakeClock },
  note: (each: Observation) => void,
): Routine {
  return {
    ...routine,
    *measure(context) {
      const { chip, truth } = opened()
      const before = chip.conditions()
      const finding = yield* routine.measure(context)
      // The benchmarks of a verification are small, and the report has those of the run.
      if (routine.isBenchmark && context.shots(1) !== 1) return finding
      // A first look with few shots, after which all of them follow.
      if (context.attempt.shotPart !== undefined && !isPrecise(finding)) return finding
      const after = chip.conditions()
      const { target, self } = context
      const ends = [context.parent, context.child]
      const coupler = couplerOf(chip, truth, target, clock.now())
      const taken = { routine: routine.name, target, finding, self, coupler, ends }
      const chips = possibleChips(truth, target, [before, after])
      note({ taken: { ...taken, chip: after }, judged: distancesOf(taken, chips) })
      return finding
    },
  }
}
