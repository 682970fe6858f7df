import type { MethodRun, Workload } from '../../define-method.ts'
import { runGroups } from '../../feedback/run-groups.ts'
import { ChainGroup } from './chain-group.ts'
import { type ChainSettings, TensorChain } from './tensor-chain.ts'
import type { TruncationRecord } from './truncation-record.ts'

/** Runs a program with feedback, in groups of shots; with noise, each shot is a group of its own. */
export async function runFeedback(
  workload: Workload,
  run: MethodRun,
  settings: ChainSettings,
  losses: TruncationRecord,
): Promise<void> {
  const context = { workload, run, losses, places: workload.createPlaces() }
  await runGroups(
    workload,
    run.timeBudget,
    (shots) => new ChainGroup(context, new TensorChain(workload.usedQubits, settings), shots),
  )
}
