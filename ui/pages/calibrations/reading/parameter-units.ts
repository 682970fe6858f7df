/** Quantities along an axis of a fit: parameters of models that are measured as their axis is. */
const ALONG_X = new Set([
  ...['arrival', 'center', 'crossing', 'decay', 'detuning', 'duration', 'f0', 'half_period', 'kappa'],
  ...['linewidth', 'optimum', 'period', 'rise', 'sweet_spot', 'width'],
])
const ALONG_Y = new Set([
  ...['amplitude', 'contrast', 'coupler_maximum', 'coupling_a', 'coupling_b', 'gain', 'height', 'offset'],
  ...['qubit_a', 'qubit_b'],
])
/** Oscillations per unit of x, and the delay of a cable along a frequency. */
const PER_X = new Set(['delay', 'frequency'])
const ANGLES = new Set(['asymmetry', 'phase'])

/** Units of one divided by a unit. */
const INVERSE: Record<string, string> = { s: 'Hz', Hz: 's' }

/**
 * The unit of a parameter of a fitted line whose report names none, by the units of its axes; empty for
 * numbers without a unit and for parameters that are not known.
 */
export function unitOfParameter(name: string, x: string, y: string): string {
  if (ALONG_X.has(name)) return x
  if (ALONG_Y.has(name)) return y
  if (ANGLES.has(name)) return 'rad'
  if (!PER_X.has(name) || x === '') return ''
  return INVERSE[x] ?? `1/${x}`
}
