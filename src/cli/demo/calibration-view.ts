import { formatEstimate } from '../plot/quantity.ts'
import { sparkline } from '../plot/sparkline.ts'
import { readTrace } from '../plot/trace.ts'
import type { CalibrationProgress, CalibrationReport } from './calibration-client.ts'

const BAR_WIDTH = 24
const NAME_WIDTH = 27
const VALUE_WIDTH = 34
/** What a table shows for a value that was not measured. */
const NOTHING = '–'

type RoutineResult = CalibrationReport['routines'][number]

/** A bar with the routine that runs, such as `██████░░░░  41 %  t1 q0`. */
export function describeProgress(progress: CalibrationProgress): { line: string; routine: string } {
  const { phase, routine, target, running, step, total, ok, failed, skipped, plan } = progress
  const nodes = plan.reduce((sum, { targets }) => sum + targets.length, 0)
  const done = nodes > 0 ? (ok + failed + skipped) / nodes : step / Math.max(1, total)
  const part = Math.max(0, Math.min(1, done))
  const full = Math.round(part * BAR_WIDTH)
  const percent = `${part < 1 ? Math.min(99, Math.round(part * 100)) : 100}`.padStart(3)
  const what =
    phase === 'write' ? 'writing the device file' : [routine, target ?? running.join(', ')].join(' ')
  const name = what.trim() === '' ? 'planning' : what.trim()
  return {
    line: `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${percent} %  ${name}`,
    routine: phase === 'write' ? phase : routine,
  }
}

/** One line per routine and target: its first value with its error, and the trace. */
export function describeFits({ routines, benchmarks }: CalibrationReport): string[] {
  const targets = [...new Set(routines.map(({ target }) => target))]
  return targets.flatMap((target, at) => [
    ...(at === 0 ? [] : ['']),
    target,
    ...routines.filter((result) => result.target === target).map((result) => describeFit(result, benchmarks)),
  ])
}

function describeFit(result: RoutineResult, benchmarks: CalibrationReport['benchmarks']): string {
  const { routine, target, error, fit } = result
  const trace = readTrace(fit)
  const found = error
    ? `failed: ${error.code}`
    : (firstValue(result) ?? fidelityOf(benchmarks, { protocol: routine, target }) ?? '')
  const line = trace ? sparkline(trace) : ''
  return `  ${routine.padEnd(NAME_WIDTH)} ${found.padEnd(VALUE_WIDTH)} ${line}`.trimEnd()
}

/** The first value of a result that is a number; tables have no short form. */
function firstValue({ parameters }: RoutineResult): string | undefined {
  for (const { value, error, unit } of Object.values(parameters)) {
    if (typeof value === 'number') return formatEstimate(value, error ?? undefined, unit)
  }
  return undefined
}

function fidelityOf(
  benchmarks: CalibrationReport['benchmarks'],
  of: { protocol: string; target: string },
): string | undefined {
  const found = benchmarks.find(({ protocol, target }) => protocol === of.protocol && target === of.target)
  if (!found) return undefined
  const bound = found.upper_bound
  if (bound) return `> ${(100 * (1 - bound.error)).toFixed(4)} % (${Math.round(100 * bound.confidence)} %)`
  if (typeof found.fidelity !== 'number') return `error ${formatEstimate(found.error ?? 0, undefined, '')}`
  return percentOf(found.fidelity, found.fidelity_error ?? undefined)
}

function percentOf(fidelity: number, error: number | undefined): string {
  return error === undefined
    ? `${(fidelity * 100).toFixed(2)} %`
    : `${formatEstimate(fidelity * 100, error * 100, '')} %`
}

/** Columns of the closing tables: a value of the device file, or the fidelity by a benchmark. */
const QUBIT_COLUMNS = {
  f01: 'clock_freqs.f01',
  amp180: 'rxy.amp180',
  T1: 'coherence.t1',
  'T2 echo': 'coherence.t2_echo',
  readout: 'readout_fidelity',
  gate: 'randomized_benchmarking',
}
const EDGE_COLUMNS = {
  'CZ frequency': 'clock_freqs.cz',
  duration: 'cz.square_duration',
  current: 'bias.parking_current',
  CZ: 'cz_rb',
}

/** The values that jobs use and the fidelities, to the digits that are certain, by qubits and by edges. */
export function describeValues(report: CalibrationReport): string[] {
  const targets = [...new Set(report.routines.map(({ target }) => target))]
  const isEdge = (target: string) => target.includes('_')
  return [
    ...table(
      'qubit',
      QUBIT_COLUMNS,
      targets.filter((each) => !isEdge(each)),
      report,
    ),
    ...table('edge', EDGE_COLUMNS, targets.filter(isEdge), report),
  ]
}

function table(
  kind: string,
  columns: Readonly<Record<string, string>>,
  targets: readonly string[],
  report: CalibrationReport,
): string[] {
  if (targets.length === 0) return []
  const rows = targets.map((target) => [
    target,
    ...Object.values(columns).map((source) => cellOf(source, target, report)),
  ])
  const lines = [[kind, ...Object.keys(columns)], ...rows]
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length))) ?? []
  return [
    ...lines.map((line) => `  ${line.map((each, at) => each.padEnd(widths[at] ?? 0)).join('   ')}`.trimEnd()),
    '',
  ]
}

function cellOf(source: string, target: string, report: CalibrationReport): string {
  if (!source.includes('.')) return certain(fidelityOf(report.benchmarks, { protocol: source, target }))
  const found = report.routines.findLast(
    (result) => result.target === target && result.parameters[source] !== undefined,
  )?.parameters[source]
  if (typeof found?.value !== 'number') return NOTHING
  return certain(formatEstimate(found.value, found.error ?? undefined, found.unit))
}

/** An estimate without its error, which has decided its digits. */
function certain(estimate = NOTHING): string {
  return estimate.replace(/ ± \S+/, '')
}
