/** One value of a metric, with its labels. */
interface Sample {
  labels?: Readonly<Record<string, string>>
  value: number
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

  /** Formats the histogram in the Prometheus text format. */
  write(name: string, help: string): string {
    const buckets = this.#bounds.map((bound, at) => `${name}_bucket{le="${bound}"} ${this.#counts[at] ?? 0}`)
    return lines([
      ...heading(name, help, 'histogram'),
      ...buckets,
      `${name}_bucket{le="+Inf"} ${this.#count}`,
      `${name}_sum ${this.#sum}`,
      `${name}_count ${this.#count}`,
    ])
  }
}

/** Formats a metric in the Prometheus text format, version 0.0.4; the name of a counter ends in `_total`. */
export function writeMetric(name: string, help: string, samples: readonly Sample[]): string {
  return lines([
    ...heading(name, help, name.endsWith('_total') ? 'counter' : 'gauge'),
    ...samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${numberText(value)}`),
  ])
}

function heading(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

function lines(each: readonly string[]): string {
  return `${each.join('\n')}\n`
}

function numberText(value: number): string {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value)
}

/** In label values, backslashes, quotes and line ends are escaped. */
function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  )
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}
