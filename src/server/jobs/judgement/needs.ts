import { type Excess, excessOf, fitsQpu, type JobNeeds } from '../../../db/store/jobs/index.ts'
import type { Qpu } from '../../../db/store/qpus/index.ts'
import type { ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { featureBits, featureNames } from '../../qpus/features.ts'
import type { Target } from './target.ts'

/** What an examined submission needs of a QPU. */
export function needsOf({ qubits, shots, executions, features }: ExaminedSubmission): JobNeeds {
  return { qubits, shots: shots.most, executions, features: featureBits(features.map(({ name }) => name)) }
}

/**
 * The problems of a job that no QPU of its target can run, by the limits of the QPU that comes closest; none
 * if one can.
 */
export function needProblems(submission: ExaminedSubmission, { id, registered }: Target): Problem[] {
  const needs = needsOf(submission)
  if (registered.some((qpu) => fitsQpu(needs, qpu))) return []
  const [closest] = registered
    .map((qpu) => ({ qpu, excess: excessOf(needs, qpu) }))
    .toSorted((one, other) => one.excess.length - other.excess.length || mostOf(other) - mostOf(one))
  if (!closest) return []
  const isOnly = id !== '' || registered.length === 1
  return closest.excess.flatMap((excess) => problemsOf(excess, submission, { closest: closest.qpu, isOnly }))
}

function mostOf({ excess }: { excess: readonly Excess[] }): number {
  const [first] = excess
  return first && first.kind !== 'features' ? first.max : 0
}

function problemsOf(
  excess: Excess,
  submission: ExaminedSubmission,
  { closest: { name }, isOnly }: { closest: Qpu; isOnly: boolean },
): Problem[] {
  if (excess.kind === 'features') {
    return featureNames(excess.missing).map((feature) => featureProblem(feature, submission, name))
  }
  const { kind, needed, max } = excess
  const qpu = isOnly ? name : 'the largest QPU'
  const { path, message } = {
    qubits: {
      path: `circuits.${submission.largest}.circuit`,
      message: `The program declares ${needed} qubits; ${qpu} has ${max}.`,
    },
    shots: {
      path: submission.shots.path,
      message: `${needed} shots are requested; ${name} runs at most ${max} of a circuit.`,
    },
    executions: {
      path: 'circuits',
      message: `The job has ${needed} executions; ${name} runs at most ${max}, so split it.`,
    },
  }[kind]
  return [{ path, code: `too_many_${kind}`, message, params: { [kind]: needed, max } }]
}

function featureProblem(feature: string, { features }: ExaminedSubmission, qpu: string): Problem {
  const path = features.find(({ name }) => name === feature)?.path ?? 'circuits'
  const isLevel = feature.startsWith('meas_level_')
  const what = path.startsWith('circuits') ? 'The program' : 'The job'
  return {
    path,
    code: isLevel ? 'unsupported_meas_level' : 'unsupported_feature',
    message: `${what} needs ${feature}, which ${qpu} does not support.`,
    params: { feature },
  }
}
