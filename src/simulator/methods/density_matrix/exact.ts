import { type ExactRun, measuredOf, type Workload } from '../../define-method.ts'
import { ExactSums, type ExactValues } from '../../exact/exact-sums.ts'
import { elementsOfDensity } from '../../exact/state-elements.ts'
import { Statevector } from '../statevector/state/statevector.ts'
import { planDensity } from './plan.ts'

/** The exact values of a circuit with noise. */
export async function computeOnDensity(workload: Workload, run: ExactRun): Promise<ExactValues> {
  const sums = new ExactSums(measuredOf(workload), run)
  const { engine, timeBudget } = run
  const { reduced } = workload
  if (!reduced) return sums.values
  const plan = planDensity(reduced, timeBudget)
  const rho = new Statevector(engine, 2 * plan.qubits, timeBudget)
  timeBudget.enter('evolve')
  await rho.evolve(plan.calls, timeBudget)
  timeBudget.enter('sample')
  const bits = new Map(reduced.qubits.map((qubit, place) => [qubit, 1 << place]))
  sums.add({
    weight: 1,
    state: elementsOfDensity(rho.amplitudes, plan.qubits),
    bitOf: (qubit) => bits.get(qubit) ?? 0,
    bits: new Uint8Array(workload.clbits),
  })
  engine.release()
  return sums.values
}
