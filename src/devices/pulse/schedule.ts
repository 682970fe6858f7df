/**
 * The contract between what plans a measurement and what plays it: timed pulses on named ports, and the
 * windows in which the response is recorded. Times are whole nanoseconds from the start of a schedule;
 * frequencies are absolute, in Hz; phases are in rad; amplitudes are fractions of full scale.
 */

/** `mw` drives a qubit, `res` its readout resonator, `fl` the flux line of a coupler. */
export const PORT_KINDS = ['mw', 'res', 'fl'] as const
type PortKind = (typeof PORT_KINDS)[number]

/** Element and kind, such as `q0:mw`, `q0:res` or `q0_q1:fl`. */
export type PortName = `${string}:${PortKind}`

/** The shape of a pulse; `pulse/envelope.ts` defines its samples. */
export type Envelope =
  /** Constant over the whole duration. */
  | { readonly shape: 'square' }
  /** Gaussian cut at ±4 sigma (sigma = duration / 8), with its derivative as the second quadrature. */
  | {
      readonly shape: 'gaussian'
      /** Weight of the derivative: the quadrature is motzoi · (−t / sigma) times the Gaussian. */
      readonly motzoi: number
    }
  /** Constant with an edge of half a cosine period at either end. */
  | {
      readonly shape: 'soft_square'
      /** Length of each edge, ns; both edges are part of the duration. */
      readonly rise: number
    }

/**
 * One pulse: `amplitude · Re[envelope(t) · exp(i(2π · frequency · t + phase))]`, with t from the start of the
 * schedule, not of the pulse. Carriers of one frequency are therefore coherent across a schedule, and a
 * rotation of the frame is a change of `phase` of all later pulses.
 */
export interface Pulse {
  /** Start, ns. */
  readonly at: number
  /** Length, ns. */
  readonly duration: number
  readonly port: PortName
  /** Absolute frequency of the carrier, Hz; 0 on a flux line is a pulse without carrier. */
  readonly frequency: number
  /** Phase of the carrier at the start of the schedule, rad. */
  readonly phase: number
  /** 0 to 1, as a fraction of full scale. */
  readonly amplitude: number
  readonly envelope: Envelope
}

/** A window in which the response of a readout line is demodulated and integrated or recorded. */
export interface Acquisition {
  /** Start, ns; after that of the readout pulse by the delay of the line. */
  readonly at: number
  /** Length, ns. */
  readonly duration: number
  readonly port: `${string}:res`
  /** Absolute frequency of demodulation, Hz. */
  readonly frequency: number
  /** Phase of demodulation at the start of the schedule, rad; 0 when absent. */
  readonly phase?: number
  /** The qubit whose state this window reads. */
  readonly qubit: string
}

/** One repetition of an experiment: what is played and recorded between two resets. */
export interface Schedule {
  /** Length, ns; every pulse and window ends within it. */
  readonly duration: number
  readonly pulses: readonly Pulse[]
  readonly acquisitions: readonly Acquisition[]
}

/**
 * What a program returns for each acquisition of each point: `average` the mean over its shots, `shots` every
 * shot, `trace` the mean of each nanosecond of the window.
 */
export type AcquisitionKind = 'average' | 'shots' | 'trace'

/** A sweep: one schedule a point, each repeated `shots` times. */
export interface Program<Kind extends AcquisitionKind = AcquisitionKind> {
  readonly kind: Kind
  /** Repetitions of each point. */
  readonly shots: number
  /** Wait before each repetition, in which the qubits return to equilibrium, ns. */
  readonly reset_ns: number
  /** Points of equal structure may be compiled to one loop. */
  readonly points: readonly Schedule[]
  /** What it is measured for; nothing but raw data has them. */
  readonly labels?: Readonly<Record<string, unknown>>
}

/** A schedule that begins later. */
export function later({ duration, pulses, acquisitions }: Schedule, byNs: number): Schedule {
  return {
    duration: duration + byNs,
    pulses: pulses.map((pulse) => ({ ...pulse, at: pulse.at + byNs })),
    acquisitions: acquisitions.map((window) => ({ ...window, at: window.at + byNs })),
  }
}

/** Element and kind of a port. */
export function partsOfPort(port: PortName): { element: string; kind: PortKind } {
  const colon = port.lastIndexOf(':')
  return { element: port.slice(0, colon), kind: port.slice(colon + 1) as PortKind }
}
