import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { percentile } from '../../../bench/support/figures.ts'
import type { Attack } from '../attack.ts'
import type { Measurement } from './measure.ts'
import type { Window } from './others.ts'

/** Which executable was attacked. */
export type Side = 'before' | 'after'

/** Everything measured so far; written to a file after each attack. */
export interface Results {
  jobs: number
  started: string
  idle: Partial<Record<Side, Window>>
  /** Measurements of each attack, one per run. */
  attacks: Record<Side, Record<string, Measurement[]>>
}

/** Reads earlier results to continue them; empty without a file. */
export function readResults(path: string, jobs: number): Results {
  if (existsSync(path)) {
    const earlier: Results = JSON.parse(readFileSync(path, 'utf8'))
    if (earlier.jobs === jobs) return earlier
  }
  return { jobs, started: new Date().toISOString(), idle: {}, attacks: { before: {}, after: {} } }
}

export function writeResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(results, null, 1))
}

/** Bounds of what the server promises, in ms and as a ratio. */
export const PROMISE = { stall: 50, p99: 100, slowdown: 5 } as const

/** Medians over the runs of one attack. */
export interface Summary {
  stall: number
  busy: number
  p99: number
  median: number
  slowdown: number
  peakMemory: number
  retainedMemory: number
  log: number
  failed: number
  isDead: boolean
  /** Number of responses of all runs by result. */
  responses: Record<string, number>
}

/** Summarizes the runs of one attack; undefined without a run. */
export function summarize(runs: readonly Measurement[] | undefined): Summary | undefined {
  if (!runs || runs.length === 0) return undefined
  const of = (value: (run: Measurement) => number) => percentile(runs.map(value), 0.5)
  const responses: Record<string, number> = {}
  for (const { outcome } of runs)
    for (const [result, count] of Object.entries(outcome?.results ?? {}))
      responses[result] = (responses[result] ?? 0) + count
  return {
    stall: of(({ stall }) => stall),
    busy: of(({ busy }) => busy),
    p99: of(({ p99 }) => p99),
    median: of(({ median }) => median),
    slowdown: of(({ slowdown }) => slowdown),
    peakMemory: of(({ peakMemory }) => peakMemory),
    retainedMemory: of(({ retainedMemory }) => retainedMemory),
    log: of(({ log }) => log),
    failed: of(({ failed }) => failed),
    isDead: runs.some(({ isDead }) => isDead),
    responses,
  }
}

/**
 * Latencies include the time that all processes wait for a processor or a disk, so that other work on the
 * machine changes them more than processor time: their margin is higher by this factor.
 */
const LATENCY_MARGIN = 3

/**
 * What of the promise an attack broke; empty if nothing. `margin` multiplies the bounds for a machine with
 * other work; the stall is then the processor time of the event loop, without waits for its disk.
 */
export function breaches(attack: Attack, summary: Summary, margin?: number): string[] {
  const { p99, slowdown, isDead, failed, responses } = summary
  const stall = margin === undefined ? summary.stall : summary.busy
  const latencyMargin = margin === undefined ? 1 : margin * LATENCY_MARGIN
  const above = (name: string, value: number, bound: number) =>
    value > bound ? [`${name} ${value.toFixed(1)} > ${bound}`] : []
  const unexpected = Object.keys(responses).filter(
    (result) => !attack.expect.some((expected) => String(expected) === result),
  )
  return [
    ...(isDead ? ['no response within 30 s'] : []),
    ...above('stall (ms)', stall, PROMISE.stall * (margin ?? 1)),
    ...above('p99 of others (ms)', p99, PROMISE.p99 * latencyMargin),
    ...above('p50 of others (× idle)', slowdown, PROMISE.slowdown * latencyMargin),
    ...(failed > 0 ? [`${failed} calls of others failed`] : []),
    ...(unexpected.length > 0 ? [`unexpected responses: ${unexpected.join(', ')}`] : []),
  ]
}
