import { type Limits, limitOf } from '../../../plots/chip/limits.ts'
import { metricOf } from '../../../plots/chip/metric.ts'
import { isEdge } from './targets.ts'

/**
 * The least fidelities of gates where neither the report nor the QPU has a limit: the defaults of the drift
 * checks of tuners, which docs/how-to/calibrate.md names.
 */
const USUAL = { qubit: 0.99, edge: 0.95 }
/** Only these protocols measure the gates that the usual limits are made for. */
const GATE_PROTOCOLS = new Set(['randomized_benchmarking', 'rb', 'cz_rb', 'interleaved_rb'])
const FIDELITY = '.fidelity'

interface LimitedValue {
  /** As in the history: a path of the device file, or a protocol and `.fidelity`. */
  parameter: string
  element: string
  /** Limits that operators have set for the QPU. */
  limits: Limits
  /** The limit that the report names. */
  reported?: number | undefined
}

/** The limit of a value and its side: that of the report, that of the QPU, or the usual one of a gate. */
export function limitOfValue({
  parameter,
  element,
  limits,
  reported,
}: LimitedValue): { value: number; side: 'above' | 'below' } | undefined {
  const metric = metricOf(parameter)
  const side = metric.better === 'low' ? 'above' : 'below'
  const own = limitOf(limits, { ...metric, unit: '', factor: 1 })
  const value = reported ?? own ?? usualLimit(parameter, element)
  return value === undefined || metric.better === 'none' ? undefined : { value, side }
}

function usualLimit(parameter: string, element: string): number | undefined {
  const protocol = parameter.endsWith(FIDELITY) ? parameter.slice(0, -FIDELITY.length) : ''
  if (!GATE_PROTOCOLS.has(protocol)) return undefined
  return isEdge(element) ? USUAL.edge : USUAL.qubit
}
