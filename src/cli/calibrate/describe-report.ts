import type { RoutineReport } from '../../driver/index.ts'
import { type DrawOptions, drawTrace } from '../plot/draw-trace.ts'
import { formatBeside, formatEstimate } from '../plot/quantity.ts'
import { readTrace } from '../plot/trace.ts'

/** How a report is shown, and whether its values were to be written. */
interface DescribeOptions extends DrawOptions {
  write: boolean
}

type RoutineResult = RoutineReport['routines'][number]
type Parameter = NonNullable<RoutineResult['parameters']>[string]
type BenchmarkResult = RoutineReport['benchmarks'][number]

/** What figures of a fit are called by people. */
const QUALITY_NAMES: Readonly<Record<string, string>> = {
  r2: 'R²',
  dbic: 'ΔBIC',
  se_rel: 'relative error',
  dof: 'degrees of freedom',
}
const QUALITY_DIGITS = 4
const MAX_LIST_LENGTH = 48

/** The report of one routine as lines of text: per target the trace, its goodness, and the values. */
export function describeReport(report: RoutineReport, options: DescribeOptions): string[] {
  const { routines, benchmarks, skipped, errors, notes, device_file: file } = report
  const results = routines.flatMap((result) => [
    ...describeResult(result, options),
    ...benchmarks
      .filter(({ protocol, target }) => protocol === result.routine && target === result.target)
      .map(describeBenchmark),
    '',
  ])
  const failed = new Set(routines.filter(({ status }) => status === 'failed').map(headingOf))
  const isListed = (text: string) => [...failed].some((each) => text.startsWith(each))
  return [
    ...results,
    ...skipped.map(
      ({ target, routine, reason, detail }) =>
        `${target} ${routine}: ${reason}${detail === '' ? '' : `, ${detail}`}`,
    ),
    ...errors.filter((text) => !isListed(text)),
    ...notes.map((note) => `Note: ${note}`),
    closingOf(routines, file, options),
  ].filter((line, at, lines) => line !== '' || lines[at + 1] !== undefined)
}

function headingOf({ target, routine }: { target: string; routine: string }): string {
  return `${target} ${routine}`
}

function describeResult(result: RoutineResult, options: DescribeOptions): string[] {
  const { parameters = {}, quality = {}, error, fit } = result
  const trace = readTrace(fit)
  const entries = Object.entries(parameters)
  const width = Math.max(0, ...entries.map(([path]) => path.length))
  const figures = Object.entries(quality).flatMap(([name, value]) =>
    typeof value === 'number'
      ? [`${QUALITY_NAMES[name] ?? name.replaceAll('_', ' ')} ${shortened(value)}`]
      : [],
  )
  const model = trace === undefined || trace.model === '' ? [] : [trace.model.replaceAll('_', ' ')]
  return [
    headingOf(result),
    ...(trace ? drawTrace(trace, options) : []),
    ...(model.length + figures.length > 0 ? [`  ${[...model, ...figures].join(', ')}`] : []),
    ...entries.map(([path, parameter]) => `  ${path.padEnd(width)}  ${describeParameter(parameter)}`),
    ...(result['unresolved'] === true ? ['  not better than the present value, which is kept'] : []),
    ...(error ? [`  ${result.status === 'failed' ? 'failed: ' : ''}${error.code}: ${error.message}`] : []),
  ]
}

function describeParameter({ value, error, unit = '', previous, written }: Parameter): string {
  const found = valueText(value, error ?? undefined, unit)
  return `${found}   before: ${previousText(value, error ?? undefined, unit, previous)}${written === true ? '   written' : ''}`
}

function previousText(value: unknown, error: number | undefined, unit: string, previous: unknown): string {
  if (previous === null || previous === undefined) return 'not set'
  const isComparable = typeof previous === 'number' && typeof value === 'number'
  return isComparable ? formatBeside(previous, { value, error }, unit) : valueText(previous, undefined, unit)
}

function describeBenchmark({ fidelity, error, metric, ...rest }: BenchmarkResult): string {
  const of = typeof metric === 'string' && metric !== '' ? ` (${metric.replaceAll('_', ' ')})` : ''
  const bound = rest.upper_bound
  if (bound)
    return `  error < ${valueText(bound.error, undefined, '')} (${Math.round(100 * bound.confidence)} %)${of}`
  if (typeof fidelity !== 'number') return `  score ${valueText(error ?? null, undefined, '')}${of}`
  const spread = rest['fidelity_error']
  return `  fidelity ${valueText(fidelity, typeof spread === 'number' ? spread : undefined, '')}${of}`
}

/** A number with its error, or a list or table of numbers, cut when it is long. */
function valueText(value: unknown, error: number | undefined, unit: string): string {
  if (typeof value === 'number') return formatEstimate(value, error, unit)
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'number' ? Number(each.toPrecision(QUALITY_DIGITS)) : each,
  )
  return text.length > MAX_LIST_LENGTH ? `${text.slice(0, MAX_LIST_LENGTH)}…` : text
}

function shortened(value: number): string {
  return String(Number(value.toPrecision(QUALITY_DIGITS)))
}

/** What happened to the device file. */
function closingOf(
  routines: RoutineReport['routines'],
  file: RoutineReport['device_file'],
  { write }: DescribeOptions,
): string {
  if (file) return `Device file: ${file.changed} ${file.changed === 1 ? 'value' : 'values'} written`
  const hasFound = routines.some(({ parameters }) => Object.keys(parameters ?? {}).length > 0)
  if (!hasFound) return 'Device file: not changed'
  return write
    ? 'Device file: not changed, nothing to write'
    : 'Device file: not changed; --write writes the values'
}
