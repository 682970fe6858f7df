import { medianOf } from '../../../src/base/portable/median.ts'
import { agoText } from '../../jobs/occupancy.ts'
import { formatQuantity } from '../../lib/quantity.ts'
import type { Element, Reading } from './chip.ts'
import { digitsFor, isBeyond, type Metric } from './metric.ts'
import { rampColor, rampPlace, type Scale, scaleOf } from './ramp.ts'

/** A metric as a map shows it: its scale over all elements, and its limit. */
export interface Shown {
  metric: Metric | undefined
  scale: Scale | undefined
  /** Whether the scale is that of the error, 100 % minus the value. */
  ofError: boolean
  limit: number | undefined
  median: number | undefined
  /** Digits after the decimal point, the same for all elements. */
  digits: number
  /** Every value, for the ruler. */
  values: readonly number[]
}

/** Prepares a metric for a map of these elements. */
export function showMetric(
  metric: Metric | undefined,
  elements: readonly Element[],
  { log, limit }: { log: boolean; limit: number | undefined },
): Shown {
  const values = metric ? elements.flatMap((element) => element.readings.get(metric.id)?.value ?? []) : []
  const ofError = log && metric?.fraction === true && metric.better === 'high'
  const scaled = ofError ? values.map((value) => 100 - value) : values
  const inverted = ofError || metric?.better === 'low'
  return {
    metric,
    scale: scaleOf(scaled, { log, inverted }),
    ofError,
    limit,
    median: values.length > 0 ? medianOf(values) : undefined,
    digits: digitsFor(values),
    values,
  }
}

/** The value of an element; undefined if it has none. */
export function readingOf({ metric }: Shown, element: Element): Reading | undefined {
  return metric && element.readings.get(metric.id)
}

/** The place of a value on the ramp, 0 (worst) to 1. */
export function placeOf({ scale, ofError }: Shown, value: number): number {
  return scale ? rampPlace(scale, ofError ? 100 - value : value) : 0.5
}

/** The color of a value. */
export function colorOf(shown: Shown, value: number): string {
  return rampColor(placeOf(shown, value))
}

/** Whether the value of an element is on the wrong side of the limit. */
export function isElementBeyond(shown: Shown, element: Element): boolean {
  const reading = readingOf(shown, element)
  return (
    reading !== undefined && shown.metric !== undefined && isBeyond(shown.metric, reading.value, shown.limit)
  )
}

/** Where a value comes from and when it was measured: `2 h ago by readout_fidelity`. */
export function sourceText({ at, routine }: Pick<Reading, 'at' | 'routine'>, now: number): string {
  return routine ? `${agoText(at, now)} by ${routine}` : 'described by the device'
}

/** The value of an element in words: `Readout fidelity 97.1(1) %, below the limit`. */
export function describeElement(shown: Shown, element: Element): string {
  if (!element.operational) return 'not in use'
  const { metric } = shown
  const reading = readingOf(shown, element)
  if (!metric || !reading) return 'no value'
  const value = formatQuantity(reading.value, {
    unit: metric.unit,
    uncertainty: reading.error,
    limit: shown.limit,
    ...(metric.fraction && { digits: Math.max(1, shown.digits) }),
  })
  const beyond = metric.better === 'low' ? 'above the limit' : 'below the limit'
  return `${metric.title} ${value}${isElementBeyond(shown, element) ? `, ${beyond}` : ''}`
}
