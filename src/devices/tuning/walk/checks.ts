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

function unknown(error: unknown): CheckResult {
  const reason = error instanceof RoutineError ? `${error.code}: ${error.message}` : messageOf(error)
  return { state: 'unknown', reason: reason.split('\n')[0] ?? '' }
}
