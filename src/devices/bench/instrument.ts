import type { AcquisitionKind, Program } from '../pulse/schedule.ts'

/** A complex value in volts at the input, demodulated. */
export interface Complex {
  re: number
  im: number
}

/** Complex values as two arrays paired by index, in volts at the input. */
export interface IqArrays {
  i: Float64Array
  q: Float64Array
}

/** What one acquisition returns, by the kind of its program. */
export interface AcquisitionOf {
  /** Mean over all shots. */
  average: Complex
  /** One entry a shot. */
  shots: IqArrays
  /** One entry a nanosecond of the window, mean over all shots. */
  trace: IqArrays
}

/** The results of a program: `[point][acquisition]`, in the order of the program. */
export type Acquisitions<Kind extends AcquisitionKind = AcquisitionKind> =
  readonly (readonly AcquisitionOf[Kind][])[]

/** What can be wrong with an instrument: it failed, or others use it. */
type InstrumentFailure = 'instrument_failed' | 'instrument_busy'

/** An instrument that did not do what it was asked; the message is for people and names no paths. */
export class InstrumentError extends Error {
  override readonly name = 'InstrumentError'
  readonly code: InstrumentFailure

  constructor(message: string, code: InstrumentFailure = 'instrument_failed', options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Plays programs and records the response: a cluster, the simulated chip, or none at all. */
export interface Instrument {
  /** What takes the data, for reports: `simulated`, `dummy` or the address of a cluster. */
  readonly backend: string
  /** Connects; an instrument that cannot be reached throws a `StartupError`. */
  open(): Promise<void>
  /**
   * Runs a program and returns its results; never blocks the thread for more than 50 ms.
   * @throws ProgramError when the program cannot be played; InstrumentError when the instrument fails; the
   *   reason of `signal` when that aborts.
   */
  run<Kind extends AcquisitionKind>(program: Program<Kind>, signal: AbortSignal): Promise<Acquisitions<Kind>>
  /** How long a program takes at least, s, where that is more than playing it. */
  leastSeconds?(program: Program): number
  /** Its identity and present settings, as values of JSON, for whoever reads its raw data later. */
  snapshot?(): Promise<Readonly<Record<string, unknown>>>
  /**
   * Keeps other processes from using an instrument that they share, until the returned function is called.
   * Without it, each program reserves the instrument for itself.
   * @throws InstrumentError `instrument_busy` when others use it for longer than this, ms.
   */
  reserve?(limit: { ms: number; signal?: AbortSignal }): Promise<() => Promise<void>>
  /** What made the results of programs doubtful since the last call, a line each. */
  takeWarnings?(): string[]
  /** Stops all output of pulses; outputs that hold a current stay as they are. */
  close(): Promise<void>
}

/** How a current moves. */
export interface RampOptions {
  /** Largest rate of change, A/s. */
  rate: number
  /** Stops the ramp where it is and rejects with its reason. */
  signal?: AbortSignal | undefined
}

/**
 * Holds the static currents of couplers: outputs of an SPI rack, of a cluster, or of the simulated chip. It
 * knows nothing of former currents; `CouplerCurrents` restores them.
 */
export interface CurrentSource {
  /** The edges whose current it holds. */
  readonly edges: readonly string[]
  /** Largest magnitude of the current of an edge, A. */
  limit(edge: string): number
  /** The present current of an edge, read from the hardware, A. */
  read(edge: string): Promise<number>
  /**
   * Moves the current of an edge to the nearest value of its output, in steps within `rate`, and waits until
   * it has settled there. Refuses before anything moves when `amps` is beyond the limit.
   */
  ramp(edge: string, amps: number, options: RampOptions): Promise<void>
  /** Closes connections; outputs hold their currents. */
  close?(): Promise<void>
}
