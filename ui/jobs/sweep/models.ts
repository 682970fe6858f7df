/** Curves that can be fitted to a sweep, and their names on the page. */
export const MODELS = {
  cosine: 'Cosine',
  damped_cosine: 'Damped cosine',
  exponential: 'Exponential decay',
  lorentzian: 'Lorentzian',
} as const

export type Model = keyof typeof MODELS

/** The places of values in ascending order. */
export function ascending(values: readonly number[]): number[] {
  return values.map((_, at) => at).sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0))
}
