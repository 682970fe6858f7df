import type { Clock, Log } from '../base/index.ts'
import type {
  CalibrationFindings,
  CalibrationMode,
  CalibrationStep,
  CircuitResult,
  DeviceDescription,
  DeviceProvenance,
  JobPayload,
  JobResults,
  Operation,
} from '../protocol/index.ts'
import type { Rng } from '../simulator/index.ts'
import type { OptionSpecs, OptionsOf } from './options.ts'

/** What a device may use while it closes. */
export interface StopIo {
  /**
   * Asks for more than the 2 s after which the process of the device is killed: `seconds` from now, at most
   * 30 s after the stop began. The driver logs the reason.
   */
  extend(seconds: number, reason: string): void
}

/** One attempt of a job, as a process device receives it. */
export interface Job {
  id: string
  attempt: number
  payload: JobPayload
}

/** What a running job may use. */
export interface JobIo {
  /** Aborts when the job is cancelled or its time limit is reached; the process is killed 2 s later. */
  signal: AbortSignal
  /** When the time of the job is over, in ms of `clock.monotonic()`. */
  deadline: number
  /** Bytes that the results may take as JSON text, without the names of circuits that the driver adds. */
  resultBytes?: number
  /** Sets the phase that the heartbeats of the job report. */
  phase(name: string): void
  /** Reports which part of the job is done, from 0 to 1; by default that of the results reported so far. */
  progress?(part: number): void
  /**
   * Reports the result at this position of `circuit_results`, as `run` returns it in the end: the server
   * shows it while the job runs, and keeps it if the job fails.
   */
  result?(index: number, result: CircuitResult): void
  /** Reports what the job ran with, also of one that fails; the last call counts. */
  ranWith?(known: DeviceProvenance): void
}

/** Runs jobs, one at a time: a QPU. */
export interface ProcessDevice {
  /** Opens the resources of the device; throws when it cannot. */
  start?(): Promise<void>
  /** Runs one job. A `JobError` fails it with its message, any other error with a generic message. */
  run(job: Job, io: JobIo): Promise<JobResults>
  /**
   * What the QPU can run: asked after the start, after each job and every 10 s between jobs, and sent to the
   * server when it has changed. Jobs that it excludes are refused at submission.
   */
  describe?(): DeviceDescription | Promise<DeviceDescription>
  stop?(io: StopIo): Promise<void>
}

/** What a monitor may use while it is open. */
export interface MonitorIo {
  /** Sends an event to the server. */
  emit(type: string, payload: Record<string, unknown>): void
  /**
   * Calls `run` now and every `seconds`, on a fixed schedule. A tick during a running call is skipped;
   * `skipped` is the number of ticks skipped since the last call.
   */
  every(seconds: number, run: (signal: AbortSignal, skipped: number) => Promise<void>): void
}

/** Reports readings on its own schedule. */
export interface MonitorDevice {
  start(io: MonitorIo): Promise<void>
  stop?(io: StopIo): Promise<void>
}

/** A calibration to run: a queued request, or one that the tuner started itself. */
export interface CalibrationRequest {
  /** Identifies this run, on the server and in files. */
  runId: string
  /** Id of the queued request; null for a calibration that the tuner started, such as a drift check. */
  id: string | null
  mode: CalibrationMode
  /** With mode `partial`: the qubits and edges to calibrate. */
  targetQubits: readonly string[]
  /** Id of an earlier request whose finished steps are not repeated; absent for a calibration of its own. */
  resume?: string
}

/** One routine to run now, without those before it: an order from the command line. */
export interface RoutineOrder {
  runId: string
  /** Name of a routine, or an alias. */
  routine: string
  /** Qubits or edges; empty = all that the tuner calibrates. */
  targets: readonly string[]
  /** Whether the device file receives what is found. */
  write: boolean
}

/** What a running calibration may use. */
export interface CalibrationIo {
  /**
   * Aborts when it is stopped or its time limit is reached: restore the hardware; the process is killed 30 s
   * later.
   */
  signal: AbortSignal
  /** Reports progress to the server, at most ten times a second; the server drops the rest. */
  progress(step: CalibrationStep): void
}

/** What a calibrate device may use while it is open. */
export interface TunerIo {
  /** Sends an event to the server. */
  emit(type: string, payload: Record<string, unknown>): void
  /** Aborts when the driver stops. */
  signal: AbortSignal
  /**
   * Runs a calibration without a queued request; the server receives its start, progress and report, and
   * lets jobs wait meanwhile. Resolves with the findings; with undefined immediately while another
   * calibration runs, while the QPU is in maintenance, and while the server is not connected, as for a
   * disabled QPU.
   */
  calibrateNow(order: {
    mode: CalibrationMode
    targetQubits?: readonly string[]
  }): Promise<CalibrationFindings | undefined>
}

/** Runs calibrations, one at a time: a tuner. */
export interface CalibrateDevice {
  start(io: TunerIo): Promise<void>
  /**
   * Runs one calibration. A `CalibrationError` makes a failed report with its message, any other error one
   * with a generic message.
   */
  calibrate(request: CalibrationRequest, io: CalibrationIo): Promise<CalibrationFindings>
  /**
   * Runs one routine, whatever its checks say and even if it is disabled; `svc driver calibrate` needs it.
   * Throws an `OrderError` for an unknown routine or target, otherwise as `calibrate`.
   */
  runRoutine?(order: RoutineOrder, io: CalibrationIo): Promise<CalibrationFindings>
  /** Called when the QPU enters or leaves maintenance. */
  maintenance?(on: boolean): void
  /** Called after the signals of all runs have aborted; the process ends when the runs have ended as well. */
  stop?(io: StopIo): Promise<void>
}

/** The device interface of each operation. */
export interface DeviceOf {
  process: ProcessDevice
  monitor: MonitorDevice
  calibrate: CalibrateDevice
}

/** Which Python runs what is written in it. */
export interface PythonPlace {
  /** `--python`; empty when not given. */
  given: string
  /** Folder of the program that was started; empty when unknown. */
  beside: string
  clock: Clock
  log: Log
  /** Environment of the device, without the secrets of the driver. */
  env: Record<string, string | undefined>
}

/** Everything a device receives; it reads no environment, clock or random source of its own. */
export interface DeviceContext<Options = Record<string, unknown>, Environment = Record<string, unknown>> {
  /** Name of the driver. */
  name: string
  /** Name of the device, hyphens replaced by underscores. */
  device: string
  /** Declared options, converted and complete with their defaults. */
  options: Options
  /** Every `-o` key that the driver itself does not read, as text, for devices named by import path. */
  raw: Record<string, string>
  /** Declared environment variables, converted like options. */
  environment: Environment
  /** Absolute path of the folder for the device's data, in a safe location; not created yet. */
  dataDir: string
  log: Log
  /** Aborts when the driver stops. */
  signal: AbortSignal
  clock: Clock
  /** Which Python runs the parts of a device that are written in it; absent where nobody says. */
  python?: PythonPlace | undefined
  /** Creates a random number generator; without a seed, a differently seeded one each time. */
  random(seed?: number): Rng
}

/** How `svc driver check` checks. */
export interface CheckOrder {
  /** Whether the instrument is reset first. */
  isReset: boolean
  /** Whether only the files are checked, without an instrument. */
  isFilesOnly: boolean
}

/** One step of a check of an instrument. */
export interface InstrumentCheck {
  /** What is checked: `connection`, `module`. */
  step: string
  /** What it is checked on: an address, a slot, a line of the chip. */
  subject: string
  passed: boolean
  detail: string
}

/** A device: the operation it implements, the `-o` options it reads, and how to create it. */
export interface DeviceDef<
  Op extends Operation = Operation,
  Options = Record<string, unknown>,
  Environment = Record<string, unknown>,
> {
  /** `^[a-z][a-z0-9_]*$`. */
  name: string
  operation: Op
  /** For the provenance of results, up to 100 characters; a built-in device has the driver's version. */
  version?: string | undefined
  /** Options the device reads; without a declaration it receives only `raw`. */
  options?: OptionSpecs
  /** Whether it takes keys that it does not declare; by default one that is named by import path does. */
  takesAnyOption?: boolean | undefined
  /**
   * Maximum execution time of one job in s, by the options of the device if need be, unless `-o job_timeout`
   * says otherwise; 10 by default.
   */
  jobTimeout?: number | ((options: Record<string, unknown>) => number) | undefined
  /** Environment variables the device reads, by name; an empty variable counts as absent. */
  environment?: OptionSpecs
  /** Runs before the driver connects; throws a `StartupError` to prevent the start. */
  check?(context: DeviceContext<Options, Environment>): void | Promise<void>
  create(context: DeviceContext<Options, Environment>): DeviceOf[Op] | Promise<DeviceOf[Op]>
  /**
   * Checks the instrument for `svc driver check`, without opening the device; returns the steps until the
   * first that fails.
   */
  checkInstrument?(
    context: DeviceContext<Options, Environment>,
    order: CheckOrder,
  ): Promise<readonly InstrumentCheck[]>
}

interface Declared<Op extends Operation, Specs extends OptionSpecs, Variables extends OptionSpecs> {
  name: string
  operation: Op
  version?: string | undefined
  options?: Specs
  takesAnyOption?: boolean | undefined
  jobTimeout?: number | ((options: Record<string, unknown>) => number) | undefined
  environment?: Variables
  check?(context: DeviceContext<OptionsOf<Specs>, OptionsOf<Variables>>): void | Promise<void>
  create(context: DeviceContext<OptionsOf<Specs>, OptionsOf<Variables>>): DeviceOf[Op] | Promise<DeviceOf[Op]>
  checkInstrument?(
    context: DeviceContext<OptionsOf<Specs>, OptionsOf<Variables>>,
    order: CheckOrder,
  ): Promise<readonly InstrumentCheck[]>
}

/**
 * Declares a device; the types of `context.options` and `context.environment` follow from the declaration.
 * @throws TypeError when the name is not lower-case letters, digits and underscores.
 */
export function defineDevice<
  Op extends Operation,
  Specs extends OptionSpecs = Record<never, never>,
  Variables extends OptionSpecs = Record<never, never>,
>(def: Declared<Op, Specs, Variables>): DeviceDef<Op> {
  if (!/^[a-z][a-z0-9_]*$/.test(def.name)) {
    throw new TypeError(`device name "${def.name}" must be lower-case letters, digits and underscores`)
  }
  return def
}
