import type { Op, Sink } from '../../../qasm/index.ts'
import type { MethodRun, Workload } from '../../define-method.ts'
import type { ChannelOp, NoiseModel } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import type { Truncation } from './split.ts'
import { operatorOf, TensorChain } from './tensor-chain.ts'
import type { TruncationRecord } from './truncation-record.ts'

/** Runs a program with feedback, each shot with a state of its own. */
export async function runShotByShot(
  workload: Workload,
  run: MethodRun,
  truncation: Truncation,
  losses: TruncationRecord,
): Promise<void> {
  const qubits = Array.from({ length: workload.qubits }, (_, qubit) => qubit)
  for (let shot = 0; shot < workload.shots; shot++) {
    run.rng.seek(run.stream, shot, PURPOSE.measurement)
    const chain = new TensorChain(qubits, truncation)
    run.tally.add(workload.walk(new TensorChainShot(chain, run, workload.noise)), [shot])
    losses.add(chain)
    await run.timeBudget.yieldIfDue()
  }
  run.phaseTimer.end('evolve')
}

/** One shot. */
class TensorChainShot implements Sink {
  readonly #chain: TensorChain
  readonly #run: MethodRun
  readonly #noise: NoiseModel | undefined

  constructor(chain: TensorChain, run: MethodRun, noise: NoiseModel | undefined) {
    this.#chain = chain
    this.#run = run
    this.#noise = noise
  }

  apply(op: Op): void {
    this.#run.timeBudget.spend(this.#chain.work)
    if (op.kind === 'reset' && this.#collapse(op.qubit) === 1) this.#chain.flip(op.qubit)
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return
    const operator = op.kind === 'delay' ? undefined : operatorOf(op)
    if (operator) this.#chain.apply(operator)
    for (const channel of this.#noise?.channelsAfter?.(op) ?? []) this.#applyChannel(channel)
  }

  measure(qubit: number): 0 | 1 {
    this.#run.timeBudget.spend(this.#chain.work)
    const outcome = this.#collapse(qubit)
    const isMisread = this.#run.rng.next() < this.#run.readoutErrorOf(qubit)[outcome]
    return isMisread === (outcome === 1) ? 0 : 1
  }

  #collapse(qubit: number): 0 | 1 {
    const outcome = this.#run.rng.next() < this.#chain.probabilityOfOne(qubit) ? 1 : 0
    this.#chain.project(qubit, outcome)
    return outcome
  }

  #applyChannel({ qubits: targets, channel }: ChannelOp): void {
    let rest = this.#run.rng.next()
    for (const [index, matrix] of channel.kraus.entries()) {
      const operator = { targets, controls: [], controlValues: 0, matrix }
      const weight = this.#chain.krausProbability(operator)
      rest -= weight
      if (rest >= 0 && index < channel.kraus.length - 1) continue
      this.#chain.applyKraus(operator, weight)
      return
    }
  }
}
