import { medianOf } from '../../../src/base/portable/median.ts'

/** A quantity of qubits or couplers, in the unit in which it is stored. */
export interface RawMetric {
  id: string
  title: string
  /** Unit of the stored values, such as `s`; fractions have none. */
  stored: string
  better: 'high' | 'low' | 'none'
  /** Whether it is a fraction, shown in percent. */
  fraction: boolean
  /** Order in lists. */
  rank: number
}

/** A quantity in the unit in which it is shown: stored values times `factor`. */
export interface Metric extends RawMetric {
  unit: string
  factor: number
}

type Known = Pick<RawMetric, 'title' | 'stored' | 'better' | 'rank'>

const KNOWN: Record<string, Known> = {
  readout_fidelity: { title: 'Readout fidelity', stored: '', better: 'high', rank: 0 },
  t1: { title: 'T1', stored: 's', better: 'high', rank: 3 },
  t2: { title: 'T2 echo', stored: 's', better: 'high', rank: 4 },
  t2_star: { title: 'T2*', stored: 's', better: 'high', rank: 5 },
  frequency: { title: 'f01', stored: 'Hz', better: 'none', rank: 6 },
  'clock_freqs.f12': { title: 'f12', stored: 'Hz', better: 'none', rank: 7 },
  'clock_freqs.readout': { title: 'Readout frequency', stored: 'Hz', better: 'none', rank: 8 },
}

/** Parameters of device files that measure the same as a field of a description. */
const SAME: Record<string, string> = {
  'coherence.t1': 't1',
  'coherence.t2_echo': 't2',
  'coherence.t2_star': 't2_star',
  'clock_freqs.f01': 'frequency',
}

const FIDELITY = '.fidelity'

/** The metric of a parameter of a calibration, of a gate (`gate.cz`), or of a field of a description. */
export function metricOf(parameter: string, unit = ''): RawMetric {
  if (parameter.endsWith(FIDELITY)) return fidelityOf(parameter.slice(0, -FIDELITY.length))
  const id = SAME[parameter] ?? parameter
  const known = KNOWN[id]
  if (known) return { id, ...known, fraction: known.stored === '' }
  const gate = id.startsWith('gate.') ? id.slice('gate.'.length) : ''
  if (gate) return { ...FRACTION, id, title: `${gateTitle(gate)} fidelity`, rank: 1 }
  const timed = id.startsWith('duration.') ? id.slice('duration.'.length) : ''
  if (timed) {
    const title = `${gateTitle(timed)} duration`
    return { id, title, stored: 's', better: 'low', fraction: false, rank: 9 }
  }
  return { id, title: id, stored: unit, better: 'none', fraction: false, rank: 10 }
}

const FRACTION = { stored: '', better: 'high', fraction: true } as const

/** Names of benchmarks whose protocols are called otherwise in conversation. */
const BENCHMARKS: Record<string, string> = {
  randomized_benchmarking: '1-qubit fidelity by RB',
  cz_rb: 'CZ fidelity by RB',
}

function fidelityOf(protocol: string): RawMetric {
  if (protocol.includes('readout'))
    return { id: 'readout_fidelity', ...FRACTION, title: 'Readout fidelity', rank: 0 }
  const title = BENCHMARKS[protocol] ?? `${protocol.replaceAll('_', ' ')} fidelity`
  return {
    ...FRACTION,
    id: `${protocol}${FIDELITY}`,
    title: title.charAt(0).toUpperCase() + title.slice(1),
    rank: 2,
  }
}

function gateTitle(gate: string): string {
  return gate.length <= 3 ? gate.toUpperCase() : gate
}

const PREFIXES: readonly (readonly [prefix: string, size: number])[] = [
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3],
  ['', 1],
  ['m', 1e-3],
  ['µ', 1e-6],
  ['n', 1e-9],
  ['p', 1e-12],
]
const PREFIXED = new Set(['s', 'Hz', 'V', 'A', 'W', 'K'])

/** The unit in which values are read best: percent for fractions, otherwise with the prefix of the median. */
export function unitScale(
  { fraction, stored }: RawMetric,
  values: readonly number[],
): { unit: string; factor: number } {
  if (fraction) return { unit: '%', factor: 100 }
  const size = values.length > 0 ? medianOf(values.map(Math.abs)) : 0
  if (!PREFIXED.has(stored) || !(size > 0)) return { unit: stored, factor: 1 }
  const [prefix, base] = PREFIXES.find(([, least]) => size >= least) ?? ['p', 1e-12]
  return { unit: `${prefix}${stored}`, factor: 1 / base }
}

/** Digits after the decimal point that tell these values apart, the same for all of them. */
export function digitsFor(values: readonly number[]): number {
  if (values.length === 0) return 0
  const span = Math.max(...values) - Math.min(...values)
  const size = Math.max(...values.map(Math.abs))
  const needed = span > 0 ? 1 - Math.floor(Math.log10(span)) : 1
  // A qubit has space for five characters.
  const most = size >= 1_000 ? 0 : size >= 100 ? 1 : 2
  return Math.min(most, Math.max(0, needed))
}

/** Whether a value is on the wrong side of its limit. */
export function isBeyond(
  { better }: Pick<RawMetric, 'better'>,
  value: number,
  limit: number | undefined,
): boolean {
  if (limit === undefined) return false
  return better === 'low' ? value > limit : better === 'high' && value < limit
}
