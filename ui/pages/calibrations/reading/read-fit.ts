import { isObject } from '../../../../src/base/portable/is-object.ts'
import { meanOf } from '../../../../src/base/portable/mean.ts'
import { unitOfParameter } from './parameter-units.ts'
import { listOf, numberOf, numbersOf, textOf } from './read-json.ts'

/** A quantity along an axis. */
export interface Axis {
  name: string
  unit: string
  values: readonly number[]
}

/** A measured line with its fitted curve. */
export interface LineFit {
  kind: 'line'
  model: string
  x: Axis
  y: Axis
  /** The curve at the measured points, or with points of its own. */
  curve: { x: readonly number[]; y: readonly number[] } | undefined
  /** Standard deviation of one point. */
  sigma: number | undefined
  goodness: Goodness
  params: readonly { name: string; value: number; error: number | undefined; unit: string }[]
}

/** Values over two swept quantities, row by row. */
export interface MapFit {
  kind: 'map'
  model: string
  x: Axis
  y: Axis
  z: readonly number[]
  /** What the values are, with their unit. */
  name: string
  unit: string
}

/** Measured points of prepared states in the IQ plane. */
export interface StatesFit {
  kind: 'states'
  unit: string
  states: readonly { label: string; i: readonly number[]; q: readonly number[] }[]
  centroids: readonly (readonly [number, number])[]
  /** Probability of reading state k after preparing state j; one row per prepared state. */
  assignment: readonly (readonly number[])[]
}

/** Figures that say whether a fit describes its data. */
interface Goodness {
  r2: number | undefined
  dbic: number | undefined
  /** χ² per degree of freedom, and their number. */
  chi2: number | undefined
  dof: number | undefined
}

/** Reads the trace of a routine; undefined for one of unknown shape, which is shown as it is. */
export function readFit(
  fit: unknown,
  quality: Record<string, unknown> = {},
): LineFit | MapFit | StatesFit | undefined {
  if (!isObject(fit)) return undefined
  return readStates(fit) ?? readMap(fit) ?? readLine(fit, quality)
}

/** Whether retention has removed the trace, or the driver because the report was too large. */
export function isDropped(fit: unknown): boolean {
  return isObject(fit) && fit['dropped'] === true
}

function axisOf(value: unknown, fallback: string, unit = ''): Axis {
  if (Array.isArray(value)) return { name: fallback, unit, values: numbersOf(value) }
  const entry = isObject(value) ? value : {}
  return {
    name: textOf(entry['name']) || fallback,
    unit: textOf(entry['unit']) || unit,
    values: numbersOf(entry['values']),
  }
}

function readLine(fit: Record<string, unknown>, quality: Record<string, unknown>): LineFit | undefined {
  const x = axisOf(fit['x'], 'x', textOf(fit['x_unit']))
  const y = axisOf(fit['y'], textOf(fit['y_name']) || 'signal', textOf(fit['y_unit']))
  if (x.values.length < 2 || y.values.length !== x.values.length) return undefined
  const curve = curveOf(fit['curve'], x.values)
  const params = paramsOf(fit['params']).map((param) => ({
    ...param,
    unit: param.unit || unitOfParameter(param.name, x.unit, y.unit),
  }))
  const given = { ...quality, ...(isObject(fit['goodness']) ? fit['goodness'] : {}) }
  const computed = curve && goodnessOf(y.values, at(curve, x.values), params.length || 3)
  return {
    kind: 'line',
    model: textOf(fit['model']),
    x,
    y,
    curve,
    sigma: numberOf(fit['sigma']) ?? computed?.sigma,
    goodness: {
      r2: numberOf(given['r2']) ?? computed?.r2,
      dbic: numberOf(given['dbic']) ?? computed?.dbic,
      chi2: numberOf(given['chi2_dof']) ?? numberOf(given['chi2']),
      dof: numberOf(given['dof']) ?? (params.length > 0 ? x.values.length - params.length : undefined),
    },
    params,
  }
}

function curveOf(value: unknown, x: readonly number[]): LineFit['curve'] {
  const own = isObject(value) ? value : { x, y: value }
  const points = { x: numbersOf(own['x']), y: numbersOf(own['y']) }
  return points.x.length > 1 && points.x.length === points.y.length ? points : undefined
}

function paramsOf(value: unknown): LineFit['params'] {
  return Object.entries(isObject(value) ? value : {}).flatMap(([name, given]) => {
    const entry = isObject(given) ? given : {}
    const [first, second] = Array.isArray(given) ? given : [entry['value'] ?? given, entry['error']]
    const number = numberOf(first)
    return number === undefined
      ? []
      : [{ name, value: number, error: numberOf(second), unit: textOf(entry['unit']) }]
  })
}

function readMap(fit: Record<string, unknown>): MapFit | undefined {
  const rows = listOf(fit['z'])
  if (rows.length === 0) return undefined
  const z = rows.every(Array.isArray) ? numbersOf(rows.flat()) : numbersOf(rows)
  const [x, y] = [axisOf(fit['x'], 'x'), axisOf(fit['y'], 'y')]
  const isComplete = z.length > 0 && x.values.length * y.values.length === z.length
  const [name, unit] = [textOf(fit['z_name']) || 'signal', textOf(fit['z_unit'])]
  return isComplete ? { kind: 'map', model: textOf(fit['model']), x, y, z, name, unit } : undefined
}

function readStates(fit: Record<string, unknown>): StatesFit | undefined {
  const given = listOf(fit['states'] ?? fit['shots']).filter(isObject)
  const states = given.map((state, index) => {
    const pairs = listOf(state['points']).map(numbersOf)
    return {
      label: textOf(state['label'] ?? state['state']) || String(index),
      i: pairs.length > 0 ? pairs.map(([i]) => i ?? 0) : numbersOf(state['i']),
      q: pairs.length > 0 ? pairs.map(([, q]) => q ?? 0) : numbersOf(state['q']),
    }
  })
  const drawn = states.filter(({ i, q }) => i.length > 0 && i.length === q.length)
  if (drawn.length === 0) return undefined
  const centroids = listOf(fit['centroids'])
    .map(numbersOf)
    .filter(({ length }) => length === 2)
  return {
    kind: 'states',
    unit: textOf(fit['unit']),
    states: drawn,
    centroids: centroids.map(([i = 0, q = 0]) => [i, q] as const),
    assignment: listOf(fit['assignment']).map(numbersOf),
  }
}

/** The values of a curve at other points, linearly between its own. */
export function at(
  curve: { x: readonly number[]; y: readonly number[] },
  points: readonly number[],
): number[] {
  const order = curve.x.map((_, index) => index).sort((a, b) => (curve.x[a] ?? 0) - (curve.x[b] ?? 0))
  const xs = order.map((index) => curve.x[index] ?? 0)
  const ys = order.map((index) => curve.y[index] ?? 0)
  return points.map((point) => {
    const after = xs.findIndex((x) => x >= point)
    if (after === -1) return ys.at(-1) ?? 0
    if (after === 0) return ys[0] ?? 0
    const [x0 = 0, x1 = 0] = [xs[after - 1], xs[after]]
    const [y0 = 0, y1 = 0] = [ys[after - 1], ys[after]]
    return x1 === x0 ? y1 : y0 + ((y1 - y0) * (point - x0)) / (x1 - x0)
  })
}

/**
 * Adjusted R², ΔBIC against a constant, and the standard deviation of a point, for a curve with `parameters`
 * free parameters.
 */
export function goodnessOf(y: readonly number[], curve: readonly number[], parameters: number) {
  const n = y.length
  const mean = meanOf(y)
  const total = y.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const rest = y.reduce((sum, value, index) => sum + (value - (curve[index] ?? 0)) ** 2, 0)
  const dof = n - parameters
  if (dof <= 0 || total === 0) return undefined
  return {
    r2: 1 - rest / dof / (total / (n - 1)),
    dbic: rest > 0 ? n * Math.log(total / rest) - (parameters - 1) * Math.log(n) : undefined,
    sigma: Math.sqrt(rest / dof),
  }
}
