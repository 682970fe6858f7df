import { isObject } from '../../../../src/base/portable/is-object.ts'
import { listOf, numberOf, textOf } from '../reading/read-json.ts'
import type { Position } from './expected-time.ts'
import type { PlanNode } from './lanes.ts'

/** What is known about a routine on a target. `over`: it ended, but nobody recorded how. */
export type CellState =
  | 'done'
  | 'running'
  | 'failed'
  | 'unresolved'
  | 'blocked'
  | 'declined'
  | 'planned'
  | 'over'

/** A routine of the plan. */
interface PlannedRoutine extends PlanNode {
  targets: readonly string[]
  /** Writes nothing. */
  isBenchmark: boolean
  /** Expected seconds by the plan. */
  estimate: number | undefined
}

/** The state of a run, as far as its tuner has reported it. */
export interface RunProgress {
  phase: string
  step: number
  total: number
  routine: string
  target: string
  running: readonly string[]
  ok: number | undefined
  failed: number | undefined
  skipped: number | undefined
  /** s since the start, by the tuner. */
  elapsed: number | undefined
  plan: readonly PlannedRoutine[]
  /** What was measured last, as in a report. */
  trace: unknown
  /** Outcome by routine and target. */
  outcomes: ReadonlyMap<string, ReadonlyMap<string, string>>
}

const BENCHMARKS = new Set([
  'readout_fidelity',
  'all_xy',
  'randomized_benchmarking',
  'purity_benchmarking',
  'cz_rb',
  'process_tomography',
])

/** Reads the progress of a request, of which any part may be absent. */
export function readProgress(progress: unknown): RunProgress {
  const record = isObject(progress) ? progress : {}
  const outcomes = Object.entries(isObject(record['outcomes']) ? record['outcomes'] : {})
  return {
    phase: textOf(record['phase']),
    step: numberOf(record['step']) ?? 0,
    total: numberOf(record['total']) ?? 0,
    routine: textOf(record['routine']),
    target: textOf(record['target']),
    running: listOf(record['running']).map(textOf),
    ok: numberOf(record['ok']),
    failed: numberOf(record['failed']),
    skipped: numberOf(record['skipped']),
    elapsed: numberOf(record['elapsed_s']),
    plan: listOf(record['plan']).filter(isObject).map(plannedOf),
    trace: record['trace'],
    outcomes: new Map(
      outcomes.map(([routine, targets]) => [
        routine,
        new Map(Object.entries(isObject(targets) ? targets : {}).map(([name, one]) => [name, textOf(one)])),
      ]),
    ),
  }
}

function plannedOf(entry: Record<string, unknown>): PlannedRoutine {
  const routine = textOf(entry['routine'])
  return {
    routine,
    dependsOn: listOf(entry['depends_on']).map(textOf),
    targets: listOf(entry['targets']).map(textOf),
    isBenchmark: BENCHMARKS.has(routine),
    estimate: numberOf(entry['estimate_s']),
  }
}

/** Row of the routine that is being measured; the number of rows once all are over. */
export function presentRow({ plan, routine, step }: RunProgress): number {
  const named = plan.findIndex((planned) => planned.routine === routine)
  if (named >= 0) return named
  return Math.min(plan.length, Math.max(0, step - 1))
}

/** How far the run is, in blocks of the plan or, without one, in steps. */
export function positionOf(progress: RunProgress): Position {
  if (progress.plan.length === 0) return { over: Math.max(0, progress.step - 1), within: 0 }
  const row = presentRow(progress)
  const planned = progress.plan[row]
  const ended = planned ? (progress.outcomes.get(planned.routine)?.size ?? 0) : 0
  return { over: row, within: planned && planned.targets.length > 0 ? ended / planned.targets.length : 0 }
}

/** The state of a routine on a target. */
export function cellState(progress: RunProgress, row: number, target: string): CellState {
  const planned = progress.plan[row]
  if (!planned) return 'planned'
  const outcome = progress.outcomes.get(planned.routine)?.get(target)
  if (outcome !== undefined) return stateOfOutcome(outcome)
  const present = presentRow(progress)
  if (row < present) return 'over'
  const isPresent = planned.routine === progress.routine
  const measured =
    progress.running.length > 0 ? progress.running.includes(target) : target === progress.target
  return isPresent && measured ? 'running' : 'planned'
}

/** The state that the word of a tuner means. */
export function stateOfOutcome(outcome: string): CellState {
  if (/unresolved/.test(outcome)) return 'unresolved'
  if (/success|done|ok/.test(outcome)) return 'done'
  if (/fail|error/.test(outcome)) return 'failed'
  if (/block/.test(outcome)) return 'blocked'
  if (/declin|disabled|skip|not_planned/.test(outcome)) return 'declined'
  return 'over'
}

/** What failed, and how much is blocked. */
export function blameOf(progress: RunProgress): { routine: string; target: string }[] {
  const failed: { routine: string; target: string }[] = []
  for (const [routine, targets] of progress.outcomes) {
    for (const [target, outcome] of targets)
      if (stateOfOutcome(outcome) === 'failed') failed.push({ routine, target })
  }
  return failed
}

/** Number of routines on targets in a state, by its recorded outcomes. */
export function countState(progress: RunProgress, state: CellState): number {
  let count = 0
  for (const targets of progress.outcomes.values())
    for (const outcome of targets.values()) if (stateOfOutcome(outcome) === state) count += 1
  return count
}
