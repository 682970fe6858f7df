import type { Excess } from '../../db/store/jobs/index.ts'
import type { Qpu } from '../../db/store/qpus/index.ts'
import { featureNames } from './features.ts'

/** What a QPU lacks for a job, for users: `kelvin has 5 of 9 qubits and does not support feedback`. */
export function describeExcess({ name }: Pick<Qpu, 'name'>, excess: readonly Excess[]): string {
  const parts = excess.map((each) => {
    if (each.kind === 'features') return `does not support ${featureNames(each.missing).join(', ')}`
    const { kind, needed, max } = each
    return kind === 'qubits' ? `has ${max} of ${needed} qubits` : `runs ${max} of ${needed} ${kind}`
  })
  return `${name} ${parts.join(' and ')}`
}
