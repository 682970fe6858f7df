/** A source of numbers between 0 and 1. */
export type Random = () => number

/** Normally distributed noise. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

interface Shape {
  model: string
  x: { name: string; unit: string; values: number[] }
  /** The noiseless signal. */
  signal: (x: number) => number
  /** Standard deviation of a point. */
  sigma: number
  params: Record<string, readonly [value: number, error: number]>
}

/** Measured points with noise and the curve through them; numbers have six significant digits. */
export function lineFit({ model, x, signal, sigma, params }: Shape, random: Random) {
  const curve = x.values.map(signal)
  const y = curve.map((value) => value + sigma * normal(random))
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length
  const total = y.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const rest = y.reduce((sum, value, at) => sum + (value - (curve[at] ?? 0)) ** 2, 0)
  const free = Object.keys(params).length
  const dof = y.length - free
  return {
    kind: 'line',
    model,
    x: { ...x, values: x.values.map(digits) },
    y: y.map(digits),
    curve: curve.map(digits),
    params,
    goodness: {
      r2: digits(1 - rest / dof / (total / (y.length - 1))),
      dbic: digits(y.length * Math.log(total / rest) - (free - 1) * Math.log(y.length)),
      chi2: digits(rest / sigma ** 2 / dof),
      dof,
    },
    points: y.length,
  }
}

/** Evenly spaced values. */
export function spaced(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1))
}

/** Six significant digits, as tuners write them. */
export function digits(value: number): number {
  return Number(value.toPrecision(6))
}

/** Shots of three states around their centers; some decay during the readout. */
export function stateClouds(random: Random, shots: number) {
  const centroids = [
    [-1.9, -0.9],
    [2.1, -1.1],
    [0.7, 2.6],
  ] as const
  const states = centroids.map(([i0, q0], state) => {
    const points = Array.from({ length: shots }, () => {
      const hasDecayed = state > 0 && random() < 0.04
      const [i, q] = hasDecayed ? (centroids[state - 1] ?? centroids[0]) : [i0, q0]
      return [digits(i + 0.55 * normal(random)), digits(q + 0.55 * normal(random))]
    })
    return { label: String(state), i: points.map(([i]) => i), q: points.map(([, q]) => q) }
  })
  const assignment = [
    [0.981, 0.013, 0.006],
    [0.047, 0.938, 0.015],
    [0.019, 0.064, 0.917],
  ]
  return { kind: 'iq', unit: 'mV', states, centroids, assignment }
}

/** The chevron of a CZ gate: P(11) against drive frequency and duration, row by row. */
export function chevron(center: number, exchange: number, random: Random) {
  const frequencies = spaced(center - 5e6, center + 5e6, 25)
  const durations = spaced(24e-9, 424e-9, 26)
  const z = durations.flatMap((time) =>
    frequencies.map((frequency) => {
      const swing = Math.hypot(2 * exchange, frequency - center)
      const depth = (2 * exchange) ** 2 / swing ** 2
      const value = 1 - depth * ((1 - Math.exp(-time / 6e-6) * Math.cos(2 * Math.PI * swing * time)) / 2)
      return Number((value + 0.015 * normal(random)).toPrecision(3))
    }),
  )
  return {
    kind: 'map',
    model: 'chevron',
    x: { name: 'frequency', unit: 'Hz', values: frequencies.map(digits) },
    y: { name: 'duration', unit: 's', values: durations.map(digits) },
    z,
  }
}
