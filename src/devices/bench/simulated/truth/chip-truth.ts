import * as v from 'valibot'

const finite = v.pipe(v.number(), v.finite())
const positive = v.pipe(finite, v.gtValue(0))
const share = v.pipe(finite, v.minValue(0), v.maxValue(1))
const sign = v.picklist([1, -1])
const byName = v.record(v.string(), finite)

/** The resonator of a qubit. */
const readout = v.strictObject({
  /** Frequency at low power with the qubit in 0, Hz. */
  frequency: positive,
  /** Hz. */
  linewidth: positive,
  /** Change of that frequency with the qubit in 1 and in 2, Hz. */
  pulls: v.tuple([finite, finite]),
  /** Distance of the resonance at low power from that at high power, Hz. */
  lamb_shift: finite,
  /** Amplitude at which the resonator holds its critical number of photons. */
  critical_amplitude: positive,
  /** Depth and asymmetry (rad) of the line. */
  depth: share,
  asymmetry: finite,
  /** Volts at the input for full scale, and phase of the line (rad). */
  gain: positive,
  phase: finite,
  /** Deviation of each quadrature of one shot of 1 µs, V. */
  noise: v.pipe(finite, v.minValue(0)),
  /** Probability of 1 → 2 in 3 µs at twice the amplitude of best readout. */
  induced: share,
  /** The readout line. */
  line: v.string(),
})

/** A transmon; frequencies as measured with the couplers at `held_at_start`. */
const qubit = v.strictObject({
  f01: positive,
  anharmonicity: finite,
  /** Coherence times, s. */
  t1: positive,
  t2_star: positive,
  t2_echo: positive,
  /** Population of 1 in equilibrium. */
  thermal: share,
  /** Rabi frequency per amplitude, Hz, and its relative loss at full scale. */
  rabi: positive,
  compression: share,
  /** Gain of the second quadrature of the drive line against the first. */
  quadrature: positive,
  /** A defect at a frequency (Hz) with its width (Hz) and the decay that it adds on resonance (1/s). */
  defect: v.optional(v.strictObject({ frequency: positive, width: positive, decay: positive })),
  /** A second value of f01, as a distance (Hz), and the mean time at either (s). */
  switching: v.optional(v.strictObject({ shift: finite, dwell: positive })),
  readout,
})

const edge = v.strictObject({
  /** The ends, that of higher frequency first. */
  high: v.string(),
  low: v.string(),
  kind: v.picklist(['parametric', 'baseband']),
  /** Highest frequency of the coupler (Hz), its period and its offset in current (A). */
  max_frequency: positive,
  period: positive,
  offset: finite,
  /** Couplings of the ends to the coupler and to each other, Hz. */
  coupling_high: positive,
  coupling_low: positive,
  coupling_direct: finite,
  /** The current when the chip is switched on, A. */
  held_at_start: finite,
  /** Coupling of |11⟩ and |20⟩, Hz; per amplitude of a parametric gate. */
  exchange: positive,
  /** Change of the difference of |20⟩ and |11⟩ per squared amplitude, Hz. */
  shift: finite,
  stark_high: finite,
  stark_low: finite,
  /** Slow noise of the flux, in current, A. */
  flux_noise: v.pipe(finite, v.minValue(0)),
  /** Share of the drive of each end that reaches the other: from high to low, and from low to high. */
  drive_leak: v.tuple([share, share]),
  /** Share of the current of other couplers. */
  flux_leak: byName,
  /** Deficit after an edge of a flux pulse: its share, and the time in which it decays (ns). */
  distortion: v.optional(v.strictObject({ amplitude: share, tau: positive })),
})

const line = v.strictObject({
  /** A mirrored line reverses the frequency axis around each resonance. */
  mirrored: v.boolean(),
  /** s */
  delay: v.pipe(finite, v.minValue(0)),
  /** Share of the signal of one resonator in the window of another. */
  crosstalk: share,
})

const at = v.pipe(v.string(), v.isoTimestamp())
const event = v.variant('kind', [
  /** From then on a value differs by `by`. */
  v.strictObject({ kind: v.literal('step'), at, target: v.string(), field: v.string(), by: finite }),
  /** Warm from then for `hours`; all values are redrawn near the old ones. */
  v.strictObject({ kind: v.literal('thermal_cycle'), at, hours: positive }),
  v.strictObject({
    kind: v.literal('dead'),
    at,
    target: v.string(),
    part: v.picklist(['resonator', 'drive', 'coupler']),
  }),
  /** From then on a qubit has the frequency of another. */
  v.strictObject({ kind: v.literal('same_frequency'), at, target: v.string(), as: v.string() }),
  /** The current source fails at this change of a current, counted from 0. */
  v.strictObject({ kind: v.literal('source_fault'), at, sample: v.pipe(v.number(), v.minValue(0)) }),
])

/** The content of `simulated.chip.yml`. */
export const chipTruth = v.strictObject({
  version: v.literal(1),
  seed: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  /** When the chip was cold for the first time. */
  epoch: at,
  /** Seconds of the chip in a second of the clock. */
  time_scale: v.pipe(finite, v.minValue(0)),
  shots_noise: v.boolean(),
  drift: v.boolean(),
  /** Sign of the phases of the drive lines. */
  hand: sign,
  qubits: v.record(v.string(), qubit),
  edges: v.record(v.string(), edge),
  readout_lines: v.record(v.string(), line),
  events: v.array(event),
})

export type ChipTruth = v.InferOutput<typeof chipTruth>
export type QubitTruth = ChipTruth['qubits'][string]
export type EdgeTruth = ChipTruth['edges'][string]
export type ReadoutTruth = QubitTruth['readout']
export type ChipEvent = ChipTruth['events'][number]
