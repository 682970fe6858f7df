import { type Clock, type Log, newId } from '../base/index.ts'
import {
  CalibrationError,
  checkDevice,
  deviceEnvironment,
  openDevice,
  type RoutineOrder,
  readOptions,
  resolveDevice,
  StartupError,
} from '../devices/index.ts'
import type { CalibrationStep } from '../protocol/index.ts'
import { lockFolder, makeDataDir } from './lock.ts'
import { checkFindings } from './operations/calibrate.ts'

interface RoutineCall extends Omit<RoutineOrder, 'runId'> {
  /** Built-in name or import path. */
  device: string
  /** The `-o` arguments, `key=value` each. */
  optionPairs: readonly string[]
  dataDir: string
}

interface RoutineDependencies {
  clock: Clock
  log: Log
  /** Base folder of relative paths. */
  cwd: string
  /** Home folder of the user. */
  home: string
  env: Record<string, string | undefined>
  /** `--python`, and the folder of the program that was started; empty when there is none. */
  python: { given: string; beside: string }
  /** Its abort ends the measurement; currents of couplers return before the promise settles. */
  signal: AbortSignal
  onStep(step: CalibrationStep): void
}

/** What one routine found. */
export type RoutineReport = { run_id: string } & ReturnType<typeof checkFindings>

/**
 * Runs one routine of a tuner in this process, without a server: with the options, checks and data folder of
 * `driver start`, which a driver may not use at the same time.
 * @throws StartupError for wrong options and for a device that cannot run single routines.
 * @throws OrderError for an unknown routine or target.
 * @throws CalibrationError when the run cannot take place, such as for an invalid `calibration.yml`.
 * @throws AppError when the data folder is in use or cannot be written.
 */
export async function runRoutine(
  { device: name, optionPairs, dataDir, ...order }: RoutineCall,
  { clock, log, cwd, home, env, python, signal, onStep }: RoutineDependencies,
): Promise<RoutineReport> {
  const resolved = await resolveDevice({ operation: 'calibrate', device: name, cwd })
  const options = readOptions({ device: resolved, pairs: optionPairs, cwd, home, dataDir, env, log })
  await makeDataDir(options.dataDir)
  const lock = lockFolder(options.dataDir)
  const closing = new AbortController()
  const place = { ...python, clock, log, env: deviceEnvironment(env) }
  const context = { name: resolved.def.name, options, log, signal: closing.signal, clock, python: place }
  try {
    await checkDevice(resolved, context)
    const tuner = await openDevice(resolved, context)
    if (!tuner.runRoutine) throw new StartupError(`device ${resolved.label} cannot run single routines`)
    // No schedule of the device has an effect: without a server it cannot start a run on its own.
    const calibrateNow = async () => undefined
    await tuner.start({ emit: () => undefined, signal: closing.signal, calibrateNow })
    try {
      signal.throwIfAborted()
      const runId = newId(clock.now())
      const found = await tuner.runRoutine({ runId, ...order }, { signal: stopOf(signal), progress: onStep })
      return { run_id: runId, ...checkFindings(found) }
    } finally {
      closing.abort(new Error('the command is ending'))
      await tuner.stop?.({ extend: () => undefined })
    }
  } finally {
    lock.release()
  }
}

/** A signal whose reason the report shows. */
function stopOf(signal: AbortSignal): AbortSignal {
  const stop = new AbortController()
  const abort = () => stop.abort(new CalibrationError('calibration stopped'))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return stop.signal
}
