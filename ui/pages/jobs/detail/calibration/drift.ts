import type { CalibrationValue } from '../../../../api/model/qpus/chip.ts'
import { metricOf } from '../../../../plots/chip/metric.ts'

/** A value of the calibration that has become better or worse since. */
export interface Drift {
  /** Qubit or edge. */
  element: string
  /** What was measured, in words. */
  title: string
  /** Change by the value of before. */
  share: number
  isWorse: boolean
}

/** Standard errors that a change has to exceed. */
const SIGNIFICANT = 2
/** Changes below this share are not worth a line. */
const LEAST_SHARE = 0.01

/**
 * What has become better or worse since: values for which one of them is better, whose change is beyond the
 * errors of both and at least 1 %, the largest first.
 * @param elements the qubits and edges that a job used; all if unknown
 */
export function driftsOf(
  before: readonly CalibrationValue[],
  now: readonly CalibrationValue[],
  elements?: ReadonlySet<string>,
): Drift[] {
  const keyOf = ({ element, parameter }: CalibrationValue) => `${element} ${parameter}`
  const newest = new Map(now.map((value) => [keyOf(value), value]))
  return before
    .flatMap((old) => {
      const { element, parameter, value, unit } = old
      const found = newest.get(keyOf(old))
      const { title, better } = metricOf(parameter, unit)
      if (!found || found.at === old.at || better === 'none' || value === 0) return []
      if (elements && !elements.has(element)) return []
      const change = found.value - value
      const share = Math.abs(change / value)
      const error = Math.hypot(old.error ?? 0, found.error ?? 0)
      if (share < LEAST_SHARE || Math.abs(change) <= SIGNIFICANT * error) return []
      return [{ element, title, share, isWorse: change > 0 === (better === 'low') }]
    })
    .toSorted((one, other) => other.share - one.share)
}
