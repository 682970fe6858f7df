import * as v from 'valibot'
import type { Chip } from './chip.ts'
import { isBeyond, type Metric } from './metric.ts'

/** Limits by the id of their metric, in the unit in which values are stored: fractions, s, Hz. */
export type Limits = Readonly<Record<string, number>>

const schema = v.object({ limits: v.record(v.string(), v.pipe(v.number(), v.finite())) })

/** The limits that operators have stored in the configuration of a QPU. */
export function readLimits(deviceConfig: unknown): Limits {
  const parsed = v.safeParse(schema, deviceConfig)
  return parsed.success ? parsed.output.limits : {}
}

/** The configuration of a QPU with other limits; the rest of it stays. */
export function withLimits(deviceConfig: unknown, limits: Limits): Record<string, unknown> {
  const rest = v.is(v.record(v.string(), v.unknown()), deviceConfig) ? deviceConfig : {}
  return { ...rest, limits }
}

/** The limit of a metric in its unit. */
export function limitOf(limits: Limits, metric: Metric | undefined): number | undefined {
  const stored = metric && limits[metric.id]
  return stored === undefined || !metric ? undefined : stored * metric.factor
}

/** A value on the wrong side of its limit. */
interface Breach {
  element: string
  metric: Metric
  isCoupler: boolean
}

/** Every value of qubits and couplers in use that is on the wrong side of its limit. */
export function breachesOf(chip: Chip, limits: Limits): Breach[] {
  const find = (elements: Chip['qubits'], metrics: readonly Metric[], isCoupler: boolean) =>
    elements
      .filter(({ operational }) => operational)
      .flatMap(({ name, readings }) =>
        metrics.flatMap((metric) => {
          const reading = readings.get(metric.id)
          const isBad = reading && isBeyond(metric, reading.value, limitOf(limits, metric))
          return isBad ? [{ element: name, metric, isCoupler }] : []
        }),
      )
  return [...find(chip.qubits, chip.qubitMetrics, false), ...find(chip.couplers, chip.couplerMetrics, true)]
}
