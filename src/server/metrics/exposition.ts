import { messageOf } from '../../base/index.ts'

export const METRICS_PATH = '/metrics'
export const METRICS_MEDIA = 'text/plain; version=0.0.4; charset=utf-8'

/** What stands in place of a value that cannot be read. */
export interface Unread {
  /** Why, in a sentence. */
  readonly problem: string
}

export type Reading = number | Unread

/** What `read` returns, or why it cannot be read. */
export async function readable<T>(read: () => T | Promise<T>): Promise<T | Unread> {
  try {
    return await read()
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** One value of a metric, with its labels. */
export interface Sample {
  /** What follows the name of the metric in that of the sample. */
  suffix?: string
  labels?: Readonly<Record<string, string>>
  value: Reading
}

/** A metric with its values. */
export interface Metric {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: readonly Sample[]
}

/** Cumulative counts of observations up to each bound, in the unit of the metric. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  /** `bounds` are in ascending order; an observation above the last one counts towards the total only. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    this.#sum += value
    this.#count += 1
    for (const [at, bound] of this.#bounds.entries()) {
      if (value <= bound) this.#counts[at] = (this.#counts[at] ?? 0) + 1
    }
  }

  /** The observations so far as a metric. */
  read(name: string, help: string): Metric {
    const buckets = this.#bounds.map((bound, at) => bucket(String(bound), this.#counts[at] ?? 0))
    const totals = [
      bucket('+Inf', this.#count),
      { suffix: '_sum', value: this.#sum },
      { suffix: '_count', value: this.#count },
    ]
    return { name, help, type: 'histogram', samples: [...buckets, ...totals] }
  }
}

function bucket(le: string, value: number): Sample {
  return { suffix: '_bucket', labels: { le }, value }
}

/** A metric of one value, or of some with labels; the name of a counter ends in `_total`. */
export function metric(name: string, help: string, values: Reading | readonly Sample[]): Metric {
  const samples = isList(values) ? values : [{ value: values }]
  return { name, help, type: name.endsWith('_total') ? 'counter' : 'gauge', samples }
}

/** The values of metrics by the name of the sample with its labels, as in the text format. */
export function valuesOf(metrics: readonly Metric[]): ReadonlyMap<string, Reading> {
  return new Map(
    metrics.flatMap(({ name, samples }) =>
      samples.map((sample): [string, Reading] => [seriesOf(name, sample), sample.value]),
    ),
  )
}

/** Number of metrics that cannot be read. */
export const UNREADABLE = 'svc_unreadable_figures'

/** The metrics of which some value cannot be read, each with the reason. */
export function unreadableIn(metrics: readonly Metric[]): { metric: string; reason: string }[] {
  return metrics.flatMap(({ name, samples }) => {
    const problem = samples.map(({ value }) => value).find((value) => typeof value !== 'number')?.problem
    return problem === undefined ? [] : [{ metric: name, reason: problem }]
  })
}

/** Formats metrics in the Prometheus text format, version 0.0.4. */
export function writeMetrics(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map((sample) => `${seriesOf(name, sample)} ${numberText(sample.value)}`),
  ])
  return `${lines.join('\n')}\n`
}

/** The response with metrics. */
export function metricsResponse(metrics: readonly Metric[]): Response {
  return new Response(writeMetrics(metrics), {
    headers: {
      'content-type': METRICS_MEDIA,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

function seriesOf(name: string, { suffix = '', labels = {} }: Sample): string {
  return `${name}${suffix}${labelText(labels)}`
}

/** NaN is what the format has for a value that is not known. */
function numberText(value: Reading): string {
  if (typeof value !== 'number') return 'NaN'
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value)
}

function isList(values: Reading | readonly Sample[]): values is readonly Sample[] {
  return Array.isArray(values)
}

/** In label values, backslashes, quotes and line ends are escaped. */
function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  )
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}
