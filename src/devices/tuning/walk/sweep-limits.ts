import type { PlayedLine } from '../../chip/hardware/bands.ts'
import { RoutineError } from '../routine.ts'
import type { Axis } from '../routine-names.ts'

/** Where the values of an axis have to lie. */
export interface AxisLimit {
  readonly min: number
  readonly max: number
  /** What sets the limit: `q0:mw plays`. */
  readonly by: string
}

/** What the hardware of a run plays and holds. */
export interface SweepLimits {
  /** The frequencies of a line of an element, Hz; undefined where nothing limits them. */
  band(element: string, line: PlayedLine): AxisLimit | undefined
  /** The currents of a coupler, A. */
  currents(edge: string): AxisLimit | undefined
}

/**
 * The limit of an axis on an element: the band of its line, the range of a current source, full scale of an
 * amplitude. `base` is the value that a relative axis multiplies.
 */
export function limitOf(
  axis: Axis,
  element: string,
  limits: SweepLimits | undefined,
  base: number | undefined,
): AxisLimit | undefined {
  if (axis.unit === 'Hz') return axis.line && limits?.band(element, axis.line)
  if (axis.unit === 'A') return limits?.currents(element)
  if (axis.relativeTo !== undefined) {
    return base !== undefined && base > 0 ? { min: 0, max: 1 / base, by: 'full scale allows' } : undefined
  }
  return axis.unit === '' ? { min: axis.min, max: axis.max, by: 'is possible' } : undefined
}

/** @throws RoutineError for a sweep no value of which lies within its limit. */
export function refuseBeyond(name: string, values: readonly number[], unit: string, limit: AxisLimit): never {
  const range = (low: number, high: number) => `${valueText(low, unit)} to ${valueText(high, unit)}`
  const text = `${name} from ${range(Math.min(...values), Math.max(...values))}`
  throw new RoutineError(
    'out_of_range',
    `${text} lies beyond what ${limit.by}, ${range(limit.min, limit.max)}`,
  )
}

const SCALES = { Hz: [1e9, 'GHz'], A: [1e-3, 'mA'] } as const

/** A value with its unit, as people write it: `4.35 GHz`. */
export function valueText(value: number, unit: string): string {
  const [scale, shown] = unit === 'Hz' || unit === 'A' ? SCALES[unit] : [1, unit]
  return `${Number((value / scale).toPrecision(6))}${shown === '' ? '' : ` ${shown}`}`
}
