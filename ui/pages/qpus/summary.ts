import { medianOf } from '../../../src/base/portable/median.ts'
import type { MedianSeries } from '../../api/model/qpus/chip.ts'
import type { Qpu } from '../../api/model/qpus.ts'
import { formatQuantity } from '../../lib/quantity.ts'
import { parseTime } from '../../lib/time.ts'
import type { Chip, Element } from '../../plots/chip/chip.ts'
import { digitsFor, type Metric, metricOf } from '../../plots/chip/metric.ts'
import { sourceText } from '../../plots/chip/shown.ts'
import type { SparkPoint } from '../../plots/spark-path.ts'

const FIDELITY = '.fidelity'
/** Protocols that measure one qubit, or reading it. */
const ONE_QUBIT = /readout|single|^randomized_benchmarking$/

/** The median fidelity of gates of two qubits of the newest calibration, as text; undefined if not known. */
export function coupledMedian({ calibration }: Pick<Qpu, 'calibration'>): string | undefined {
  const found = Object.entries(calibration?.medians ?? {}).find(
    ([parameter]) => parameter.endsWith(FIDELITY) && !ONE_QUBIT.test(parameter.slice(0, -FIDELITY.length)),
  )
  return found && `${(found[1].value * 100).toFixed(1)} %`
}

/** A metric over all qubits or couplers in use. */
export interface MetricSummary {
  metric: Metric
  isCoupler: boolean
  median: string
  range: string
  count: number
  /** Where its oldest value comes from, and when. */
  source: string
}

/** Median and range of each metric that at least two elements have. */
export function summarize(chip: Chip, now: number): MetricSummary[] {
  const of = (metrics: readonly Metric[], elements: readonly Element[], isCoupler: boolean) =>
    metrics.flatMap((metric) => {
      const found = elements
        .filter(({ operational }) => operational)
        .flatMap(({ readings }) => readings.get(metric.id) ?? [])
      const values = found.map(({ value }) => value)
      const [oldest] = found.toSorted((one, other) => (one.at < other.at ? -1 : 1))
      if (!oldest || values.length < 2) return []
      const digits = metric.fraction ? Math.max(1, digitsFor(values)) : digitsFor(values)
      const text = (value: number) => formatQuantity(value, { digits })
      const [least, most] = [Math.min(...values), Math.max(...values)]
      const range = [text(least), text(most)].join(least < 0 ? ' to ' : '–')
      const isMixed = found.some(({ at, routine }) => at !== oldest.at || routine !== oldest.routine)
      const source = `${isMixed ? 'oldest ' : ''}${sourceText(oldest, now)}`
      return [{ metric, isCoupler, median: text(medianOf(values)), range, count: values.length, source }]
    })
  return [...of(chip.qubitMetrics, chip.qubits, false), ...of(chip.couplerMetrics, chip.couplers, true)]
}

/** The medians of a metric over time, in its unit. */
export function medianPoints(
  series: readonly MedianSeries[],
  { id, factor }: Pick<Metric, 'id' | 'factor'>,
): SparkPoint[] {
  const found = series.find(({ parameter }) => metricOf(parameter).id === id)
  return (found?.values ?? []).flatMap(({ at, value }) => {
    const ms = parseTime(at)
    return ms === undefined ? [] : [{ at: ms, value: value * factor }]
  })
}
