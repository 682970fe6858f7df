const TWO_STATES = ['measure_2state.acq_rotation', 'measure_2state.acq_threshold']

/** What makes bits of the signals of a readout, and how often these are right. */
export const DISCRIMINATORS: readonly string[] = [
  ...TWO_STATES,
  'measure_2state.assignment',
  'measure_2state.tone_shifts',
  'measure.acq_rotation',
  'measure.acq_threshold',
]

/** Each value of the point at which bits are read, and the one in its place where it is not set. */
const POINT = [
  ['measure_2state.frequency', 'clock_freqs.readout'],
  ['measure_2state.pulse_amp', 'measure.pulse_amp'],
  ['measure_2state.integration_time', 'measure.integration_time'],
] as const

/** Paths of the values of a qubit for which its discriminator holds. */
export function readoutBasis(valueAt: (path: string) => unknown): string[] {
  const isOwn = TWO_STATES.every((path) => valueAt(path) !== undefined)
  const point = POINT.flatMap(([own, common]) => {
    if (!isOwn) return [common]
    return valueAt(own) === undefined ? [own, common] : [own]
  })
  return [...point, 'measure.acq_delay']
}
