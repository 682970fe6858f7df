import { formatQuantity } from '../../../lib/quantity.ts'
import { readingParts } from '../../../lib/reading.ts'
import { csvText } from '../../../lib/save-file.ts'
import { type Budget, errorBudget } from './error-budget.ts'
import type { Benchmark, ReadReport, ReportedValue } from './read-report.ts'

/** A value below this many standard deviations has not changed visibly. */
export const NOTABLE_SIGMA = 2
/** Length of the longest bar of the scale of deviations, in standard deviations. */
const MAX_SIGMA = 1_000

/** Before and after in the same prefixed unit, as texts. */
interface ChangeTexts {
  before: string
  after: string
  change: string
}

/** The texts of one value: the prefix is that of the new value, the change has its own. */
export function changeTexts({ value, previous, raw, rawPrevious, ...rest }: ReportedValue): ChangeTexts {
  if (value === undefined) return { before: asWritten(rawPrevious), after: asWritten(raw), change: '' }
  const { factor, unit } = prefixOf(value || (previous ?? 0), rest.unit)
  const text = (number: number, uncertainty: number | undefined, digits?: number) =>
    formatQuantity(number / factor, { unit, uncertainty: uncertainty && uncertainty / factor, digits })
  const after = text(value, rest.error)
  // Without an uncertainty of its own, the value before has the digits of the value after.
  const digits = /\.(\d+)\(/.exec(after)?.[1]?.length
  const delta = previous === undefined ? undefined : value - previous
  return {
    before: previous === undefined ? asWritten(rawPrevious) : text(previous, rest.previousError, digits),
    after,
    change: delta === undefined ? '' : signed(delta, rest.unit),
  }
}

function asWritten(value: unknown): string {
  if (value === undefined || value === null) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** A number with its sign, `+28.3 kHz`, or with its uncertainty, `+28.30(12) kHz`. */
export function signed(value: number, unit: string, uncertainty?: number): string {
  const { factor, unit: prefixed } = prefixOf(value, unit)
  const text = formatQuantity(Math.abs(value) / factor, {
    unit: prefixed,
    uncertainty: uncertainty && uncertainty / factor,
  })
  return value === 0 ? '0' : `${value < 0 ? '−' : '+'}${shorten(text)}`
}

/** Three significant digits are enough for a change. */
function shorten(text: string): string {
  return text.replace(/^(\d+\.\d*?)(?:0+)?(?=\D*$)/, (_, kept: string) => kept.replace(/\.$/, ''))
}

/** The prefixed unit of a size, and what a value has to be divided by. */
export function prefixOf(size: number, unit: string): { factor: number; unit: string } {
  if (size === 0 || !Number.isFinite(size)) return { factor: 1, unit }
  const parts = readingParts(size, unit, 15)
  if (parts.unit === unit || !parts.unit.endsWith(unit)) return { factor: 1, unit }
  const factor = FACTORS[parts.unit.slice(0, parts.unit.length - unit.length)]
  return factor === undefined ? { factor: 1, unit } : { factor, unit: parts.unit }
}

const FACTORS: Record<string, number> = {
  T: 1e12,
  G: 1e9,
  M: 1e6,
  k: 1e3,
  m: 1e-3,
  µ: 1e-6,
  n: 1e-9,
  p: 1e-12,
}

/** The change in units of the combined uncertainty; undefined where either is not known. */
export function sizeInSigma({ value, previous, error, previousError }: ReportedValue): number | undefined {
  if (value === undefined || previous === undefined || !error) return undefined
  return (value - previous) / Math.hypot(error, previousError ?? 0)
}

/** Share of the longest bar, −1 to 1, on a logarithmic scale that is linear around zero. */
export function sigmaBar(sigma: number): number {
  const share = Math.log1p(Math.abs(sigma)) / Math.log1p(MAX_SIGMA)
  return Math.sign(sigma) * Math.min(1, share)
}

/** The budgets of all qubits of which every part is known, with the duration of the gate. */
export function budgetsOf(report: ReadReport): { target: string; duration: number; budget: Budget }[] {
  return report.benchmarks.filter(isGate).flatMap((benchmark) => {
    const found = (path: string) => foundValue(report, benchmark.target, path)
    const duration = benchmark.gateDuration ?? found('rxy.duration')
    const [t1, t2] = [found('coherence.t1'), found('coherence.t2_echo') ?? found('coherence.t2')]
    const leakage = benchmark.leakage
    const total = benchmark.fidelity === undefined ? undefined : 1 - benchmark.fidelity
    if (!duration || !t1 || !t2 || leakage === undefined || !total) return []
    const { coherent, uncertainty: totalError } = benchmark
    const budget = errorBudget({ duration, t1, t2, leakage, total, totalError, coherent })
    return budget ? [{ target: benchmark.target, duration, budget }] : []
  })
}

function isGate({ protocol }: Benchmark): boolean {
  return protocol === 'randomized_benchmarking' || protocol === 'rb'
}

function foundValue({ results }: ReadReport, target: string, path: string): number | undefined {
  for (const result of results) {
    if (result.target !== target || result.outcome === 'failed') continue
    const found = result.values.find((value) => value.path === path)
    if (found?.value !== undefined) return found.value
  }
  return undefined
}

/** All values as CSV, one row per routine, target and parameter. */
export function reportCsv({ results, benchmarks }: ReadReport): string {
  const head = ['routine', 'target', 'parameter', 'before', 'after', 'uncertainty', 'unit', 'written']
  const rows = results.flatMap(({ routine, target, values }) =>
    values.map(({ path, raw, rawPrevious, error, unit, written }) => [
      routine,
      target,
      path,
      plain(rawPrevious),
      plain(raw),
      error ?? '',
      unit,
      written,
    ]),
  )
  const fidelities = benchmarks.map(({ protocol, target, fidelity, uncertainty, upperBound }) =>
    upperBound
      ? [
          protocol,
          target,
          `error, upper bound of ${upperBound.confidence}`,
          '',
          upperBound.error,
          '',
          '',
          false,
        ]
      : [protocol, target, 'fidelity', '', fidelity ?? '', uncertainty ?? '', '', false],
  )
  return csvText([head, ...rows, ...fidelities])
}

function plain(value: unknown): string | number {
  if (typeof value === 'number' || typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
