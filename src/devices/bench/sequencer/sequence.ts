/** What one sequencer of a cluster runs, in the form in which its module takes it. */
export interface Sequence {
  /** Instructions in the text of the module's assembler, a line each. */
  readonly program: string
  /** By name: samples from −1 to 1, one a nanosecond, and the number by which instructions refer to them. */
  readonly waveforms: Readonly<Record<string, { readonly index: number; readonly data: readonly number[] }>>
  /** By name: the number of bins, and the number by which instructions refer to them. */
  readonly acquisitions: Readonly<Record<string, { readonly index: number; readonly bins: number }>>
}

/** Number of acquisitions that a sequencer distinguishes. */
export const MAX_ACQUISITIONS = 32
/** Registers of a sequencer, R0 to R63. */
export const REGISTERS = 64
/** Shortest and longest time of one real-time instruction, ns. */
export const DURATION_NS = { min: 4, max: 65_535 } as const
/** Shortest time between two acquisitions of a sequencer, ns. */
export const ACQUISITION_SPACING_NS = 300
/** Steps of the numerical oscillator: of frequency in a hertz, and of phase in a turn. */
export const STEPS_PER_HERTZ = 4
export const STEPS_PER_TURN = 1e9
