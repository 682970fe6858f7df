import type { Op, Sink } from '../../../qasm/index.ts'
import type { MethodRun, Task } from '../../define-method.ts'
import type { ChannelOp, NoiseModel } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { Chain, operatorOf } from './chain.ts'
import type { Losses } from './losses.ts'
import type { Truncation } from './split.ts'

/** Runs a program that outcomes steer, each shot with a state of its own. */
export async function runWalks(
  task: Task,
  run: MethodRun,
  truncation: Truncation,
  losses: Losses,
): Promise<void> {
  const qubits = Array.from({ length: task.qubits }, (_, qubit) => qubit)
  for (let shot = 0; shot < task.shots; shot++) {
    run.rng.seek(run.stream, shot, PURPOSE.measurement)
    const chain = new Chain(qubits, truncation)
    run.tally.add(task.walk(new Shot(chain, run, task.noise)), [shot])
    losses.note(chain)
    await run.timeBudget.yieldIfDue()
  }
  run.phases.end('evolve')
}

/** One shot. */
class Shot implements Sink {
  readonly #chain: Chain
  readonly #run: MethodRun
  readonly #noise: NoiseModel | undefined

  constructor(chain: Chain, run: MethodRun, noise: NoiseModel | undefined) {
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
    for (const channel of this.#noise?.after?.(op) ?? []) this.#disturb(channel)
  }

  measure(qubit: number): 0 | 1 {
    this.#run.timeBudget.spend(this.#chain.work)
    const outcome = this.#collapse(qubit)
    const isMisread = this.#run.rng.next() < this.#run.errors(qubit)[outcome]
    return isMisread === (outcome === 1) ? 0 : 1
  }

  #collapse(qubit: number): 0 | 1 {
    const outcome = this.#run.rng.next() < this.#chain.probabilityOfOne(qubit) ? 1 : 0
    this.#chain.project(qubit, outcome)
    return outcome
  }

  #disturb({ qubits: targets, channel }: ChannelOp): void {
    let rest = this.#run.rng.next()
    for (const [index, matrix] of channel.kraus.entries()) {
      const operator = { targets, controls: [], controlValues: 0, matrix }
      const weight = this.#chain.weightAfter(operator)
      rest -= weight
      if (rest >= 0 && index < channel.kraus.length - 1) continue
      this.#chain.applyKraus(operator, weight)
      return
    }
  }
}
