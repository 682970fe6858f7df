import { type DriftLimits, JUDGED_BY, judgeFindings } from '../../drift/decide-drift.ts'
import { type Instance, keyOf } from '../../plan/instances.ts'
import type { CheckResult } from '../../plan/planner.ts'
import type { Benchmark, Routine } from '../../routine.ts'
import { confirmedChecks } from '../../walk/checks.ts'
import { type NodeRunner, runNode } from '../../walk/run-node.ts'

export interface DriftLook {
  readonly routines: readonly Routine[]
  readonly runner: NodeRunner
  /** The settings of a fidelity check. */
  readonly quick: NodeRunner['settingsOf']
  readonly limits: DriftLimits
  /** What a benchmark said in the run. */
  benchmarkOf(node: Instance): Benchmark | undefined
  onCheck(node: Instance): void
}

/**
 * Runs checks as {@link confirmedChecks}. A value of which a fidelity check can tell whether it has drifted
 * is measured as there where its check is out, and is out only if that says so too: a check of a good qubit
 * sees frequencies wander, and T1 dip for an hour, which nothing is calibrated again for.
 * @returns outcomes by key; the margin is that of the check
 */
export async function driftedChecks(
  nodes: readonly Instance[],
  look: DriftLook,
): Promise<Map<string, CheckResult>> {
  const checks = await confirmedChecks(nodes, look.runner, look.onCheck)
  for (const { routine, target } of nodes) {
    const key = keyOf(routine.name, target)
    const check = checks.get(key)
    if (check?.state !== 'out') continue
    const judges = look.routines.filter(({ name }) => JUDGED_BY[routine.name]?.includes(name))
    const states: string[] = []
    for (const judge of judges) states.push(...(await statesBy({ routine: judge, target }, look)))
    // What says nothing leaves the word to the check.
    if (states.length > 0 && states.every((state) => state === 'in'))
      checks.set(key, { ...check, state: 'in' })
  }
  return checks
}

/** What a routine of a fidelity check says of a target, as of an entry of its report. */
async function statesBy({ routine, target }: Instance, look: DriftLook): Promise<string[]> {
  const { runner, quick, limits, onCheck, benchmarkOf } = look
  onCheck({ routine, target })
  const [outcome] = await runNode(routine, [target], { ...runner, settingsOf: quick })
  if (!outcome) return []
  const { finding, error } = outcome
  const isUnresolved = routine.refiner && error?.code === 'unresolved'
  const parameters = Object.entries(finding?.parameters ?? {}).map(([path, found]) => [
    path,
    { value: found.value, error: found.error, previous: runner.values.get(target, path) },
  ])
  const entry = {
    routine: routine.name,
    target,
    parameters: Object.fromEntries(parameters),
    status: error ? ('failed' as const) : ('success' as const),
    unresolved: isUnresolved || finding?.unresolved === true,
    ...(error && { error: { code: error.code, message: error.message } }),
  }
  const { fidelity, fidelityError } = finding?.benchmark ?? {}
  const before = benchmarkOf({ routine, target })?.error
  const benchmark = {
    protocol: routine.name,
    target,
    fidelity,
    fidelity_error: fidelityError,
    ...(before !== undefined && { previous_error: before }),
  }
  const findings = { routines: [entry], benchmarks: [benchmark] }
  return judgeFindings(findings, limits).map(({ state }) => state)
}
