import { messageOf } from '../../../base/index.ts'
import { type Instance, keyOf } from '../plan/instances.ts'
import type { CheckResult } from '../plan/planner.ts'
import { RoutineError } from '../routine.ts'
import { measureTogether, type NodeRunner } from './run-node.ts'

const FIRST_ATTEMPT = { number: 1, failures: [] }

/**
 * Runs the checks of nodes, one after the other. A check that throws could not decide, which is recorded: a
 * check that never works must not pass unnoticed.
 * @returns outcomes by key
 */
export async function runChecks(
  nodes: readonly Instance[],
  runner: NodeRunner,
  onCheck: (node: Instance, at: number) => void,
): Promise<Map<string, CheckResult>> {
  const results = new Map<string, CheckResult>()
  for (const [at, node] of nodes.entries()) {
    const { routine, target } = node
    const { check } = routine
    if (!check) continue
    runner.signal.throwIfAborted()
    onCheck(node, at)
    const [ended] = await measureTogether(routine, [target], runner, FIRST_ATTEMPT, (context) =>
      check(context),
    )
    results.set(keyOf(routine.name, target), ended && 'found' in ended ? ended.found : unknown(ended?.error))
  }
  return results
}

/** How often a check that is out is repeated, and by how many standard errors the mean must be out. */
const REPEATS = 4
const CLEAR = 2

/**
 * Runs checks, and those that are out again: their mean tells a value that has moved from the noise of a
 * single look, which has a few percent of the looks at a good value beyond the limit.
 * @returns outcomes by key; the margin of a repeated one is the mean
 */
export async function confirmedChecks(
  nodes: readonly Instance[],
  runner: NodeRunner,
  onCheck: (node: Instance, at: number) => void,
): Promise<Map<string, CheckResult>> {
  const results = await runChecks(nodes, runner, onCheck)
  for (const [at, node] of nodes.entries()) {
    const key = keyOf(node.routine.name, node.target)
    if (results.get(key)?.state !== 'out') continue
    const margins: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const again = (await runChecks([node], runner, () => onCheck(node, at))).get(key)
      if (again && 'margin' in again) margins.push(again.margin)
    }
    // A check that does not work any more confirms that something is wrong.
    if (margins.length === REPEATS) results.set(key, meanOf(margins))
  }
  return results
}

function meanOf(margins: readonly number[]): CheckResult {
  const margin = margins.reduce((sum, each) => sum + each / margins.length, 0)
  const squares = margins.reduce((sum, each) => sum + (each - margin) ** 2, 0)
  const error = Math.sqrt(squares / (margins.length - 1) / margins.length)
  return { state: margin - CLEAR * error > 1 ? 'out' : 'in', margin }
}

function unknown(error: unknown): CheckResult {
  const reason = error instanceof RoutineError ? `${error.code}: ${error.message}` : messageOf(error)
  return { state: 'unknown', reason: reason.split('\n')[0] ?? '' }
}
