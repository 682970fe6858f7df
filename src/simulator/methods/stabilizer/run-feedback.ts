import type { MethodRun, Workload } from '../../define-method.ts'
import { runGroups } from '../../feedback/run-groups.ts'
import { walkOnTrial } from '../../reduction/trial-walk.ts'
import { CliffordRecognizer } from './clifford.ts'
import type { NonCliffordStep } from './non-clifford.ts'
import { pauliTermsOf } from './pauli-noise.ts'
import { TableauGroup } from './tableau-group.ts'

/** Runs a program with feedback, in groups of shots. */
export async function runFeedback(workload: Workload, run: MethodRun): Promise<void> {
  const context = { workload, run, places: workload.createPlaces(), reader: new CliffordRecognizer() }
  await runGroups(workload, run.timeBudget, (shots) => new TableauGroup(context, shots))
}

/** Trial walks, so that most programs that are not Clifford are refused before they run. */
const TRIALS = [1, 2, 3]

/**
 * The first step in some trial walks that is not Clifford. Other outcomes may still lead to one: then the run
 * ends with `UnsuitableMethodError`.
 */
export function findNonCliffordStep({ walk, noise }: Workload): NonCliffordStep | undefined {
  const reader = new CliffordRecognizer()
  let found: NonCliffordStep | undefined
  for (const seed of TRIALS) {
    walkOnTrial(walk, seed, (op) => {
      if (op.kind === 'reset') return false
      if (op.kind !== 'delay' && !reader.recognize(op)) found = op
      else found = noise?.channelsAfter?.(op).find(({ channel }) => !pauliTermsOf(channel))
      return found !== undefined
    })
    if (found) return found
  }
  return undefined
}
