import type { Op, Sink } from '../../../qasm/index.ts'
import type { MethodRun, Workload } from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import type { ChannelOp, NoiseModel } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import type { QubitPlaces } from '../../reduction/qubit-places.ts'
import { operatorOf } from './operator.ts'
import { refuseGate, refuseSize } from './refusals.ts'
import { type ChainSettings, TensorChain } from './tensor-chain.ts'
import type { TruncationRecord } from './truncation-record.ts'

/** Runs a program with feedback, each shot with a state of its own. */
export async function runShotByShot(
  workload: Workload,
  run: MethodRun,
  settings: ChainSettings,
  losses: TruncationRecord,
): Promise<void> {
  const places = workload.createPlaces()
  for (let shot = 0; shot < workload.shots; shot++) {
    run.rng.seek(run.stream, shot, PURPOSE.measurement)
    const chain = new TensorChain(workload.usedQubits, settings)
    run.tally.add(workload.walk(new TensorChainShot(chain, places, run, workload.noise)), [shot])
    losses.add(chain)
    await run.timeBudget.yieldIfDue()
  }
}

/** One shot. */
class TensorChainShot implements Sink {
  readonly #chain: TensorChain
  /** The qubits that a shot has changed; of them, only those that may be used get here. */
  readonly #places: QubitPlaces
  readonly #run: MethodRun
  readonly #noise: NoiseModel | undefined

  constructor(chain: TensorChain, places: QubitPlaces, run: MethodRun, noise: NoiseModel | undefined) {
    this.#chain = chain
    this.#places = places
    this.#run = run
    this.#noise = noise
  }

  apply(op: Op): void {
    this.#run.timeBudget.spend(this.#chain.work)
    if (op.kind === 'reset' && this.#collapse(op.qubit) === 1) this.#chain.flip(op.qubit)
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return
    const operator = op.kind === 'delay' ? undefined : operatorOf(op)
    if (operator) {
      const qubits = [...operator.controls, ...operator.targets]
      this.#add(qubits)
      const refusal = refuseGate(qubits.length)
      if (refusal) throw new UnsuitableMethodError(refusal)
      this.#chain.apply(operator)
    }
    for (const channel of this.#noise?.channelsAfter?.(op) ?? []) this.#applyChannel(channel)
  }

  measure(qubit: number): 0 | 1 {
    this.#run.timeBudget.spend(this.#chain.work)
    const outcome = this.#collapse(qubit)
    const isMisread = this.#run.rng.next() < this.#run.readoutErrorOf(qubit)[outcome]
    return isMisread === (outcome === 1) ? 0 : 1
  }

  /** Adds the qubits that no step has changed yet. */
  #add(qubits: readonly number[]): void {
    for (const qubit of qubits) {
      if (this.#chain.has(qubit)) continue
      this.#places.take(qubit)
      this.#chain.add(qubit)
      const refusal = refuseSize(this.#chain.sites)
      if (refusal) throw new UnsuitableMethodError(refusal)
    }
  }

  #collapse(qubit: number): 0 | 1 {
    if (!this.#chain.has(qubit)) return 0
    const outcome = this.#run.rng.next() < this.#chain.probabilityOfOne(qubit) ? 1 : 0
    this.#chain.project(qubit, outcome)
    return outcome
  }

  #applyChannel({ qubits: targets, channel }: ChannelOp): void {
    this.#add(targets)
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
