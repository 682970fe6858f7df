import type { MethodRun, Task } from '../../define-method.ts'
import type { ChannelOp } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { shotNumbers } from '../../numeric/shot-numbers.ts'
import type { Action, Reduced } from '../../reduction/reduce-circuit.ts'
import { Chain, operatorOf } from './chain.ts'
import type { Losses } from './losses.ts'
import { sampleAll } from './sample.ts'
import type { Truncation } from './split.ts'

/** Shots with equal outcomes so far, and where they are in the circuit. */
interface Branch {
  chain: Chain
  step: number
  shots: Uint32Array
  bits: Uint8Array
}

/** Draws in the middle of a circuit come from blocks above those of its end, one per step. */
const MIDDLE = 2 ** 31

/** Runs a circuit that no outcome steers: shots part where their outcomes, or the noise they meet, differ. */
export class Branches {
  readonly #run: MethodRun
  readonly #waiting: Branch[] = []
  readonly #losses: Losses

  constructor(run: MethodRun, losses: Losses) {
    this.#run = run
    this.#losses = losses
  }

  /** Carries all shots of a task to the end and into the tally. */
  async runAll({ ops, qubits, terminal }: Reduced, task: Task, truncation: Truncation): Promise<void> {
    const { tally, phases } = this.#run
    const shots = shotNumbers(task.shots)
    const bits = new Uint8Array(task.clbits)
    this.#waiting.push({ chain: new Chain(qubits, truncation), step: 0, shots, bits })
    for (let branch = this.#waiting.pop(); branch; branch = this.#waiting.pop()) {
      await this.#walk(branch, ops)
      const end = branch
      this.#losses.note(end.chain)
      phases.end('evolve')
      await sampleAll(end.chain, end.shots, this.#run, terminal.length > 0, (values, group) => {
        for (const { qubit, clbit } of terminal) end.bits[clbit] = values[qubit] ?? 0
        tally.add(end.bits, group)
      })
      phases.end('sample')
    }
  }

  async #walk(branch: Branch, ops: readonly Action[]): Promise<void> {
    for (; branch.step < ops.length; branch.step++) {
      const op = ops[branch.step] as Action
      if (op.kind === 'channel') this.#disturb(branch, op)
      else if (op.kind === 'reset') this.#reset(branch, op.qubit)
      else if (op.kind === 'measure') this.#measure(branch, op)
      else {
        const operator = operatorOf(op)
        if (operator) branch.chain.apply(operator)
      }
      this.#run.timeBudget.spend(branch.chain.work)
      if (this.#run.timeBudget.isYieldDue) await this.#run.timeBudget.yieldIfDue()
    }
  }

  #disturb(branch: Branch, { qubits: targets, channel }: ChannelOp): void {
    const operators = channel.kraus.map((matrix) => ({ targets, controls: [], controlValues: 0, matrix }))
    const weights = operators.map((operator) => branch.chain.weightAfter(operator))
    const total = weights.reduce((sum, each) => sum + each, 0)
    const pick = (draw: number) => {
      let rest = draw * total
      const found = weights.findIndex((weight) => {
        rest -= weight
        return rest < 0
      })
      return found < 0 ? weights.length - 1 : found
    }
    this.#part(
      branch,
      (draw) => pick(draw()),
      ({ chain }, index) => {
        const operator = operators[index]
        if (operator) chain.applyKraus(operator, weights[index] ?? 1)
      },
    )
  }

  #reset(branch: Branch, qubit: number): void {
    const one = branch.chain.probabilityOfOne(qubit)
    this.#part(
      branch,
      (draw) => (draw() < one ? 1 : 0),
      ({ chain }, outcome) => {
        chain.project(qubit, outcome === 1 ? 1 : 0)
        if (outcome === 1) chain.flip(qubit)
      },
    )
  }

  #measure(branch: Branch, { qubit, clbit }: { qubit: number; clbit: number }): void {
    const one = branch.chain.probabilityOfOne(qubit)
    const error = this.#run.errors(qubit)
    // Bit 0: what is. Bit 1: what the readout says.
    const choose = (draw: () => number) => {
      const outcome = draw() < one ? 1 : 0
      const isMisread = draw() < error[outcome]
      return outcome | ((isMisread ? 1 - outcome : outcome) << 1)
    }
    this.#part(branch, choose, ({ chain, bits }, choice) => {
      chain.project(qubit, (choice & 1) === 1 ? 1 : 0)
      if (clbit >= 0) bits[clbit] = choice >> 1
    })
  }

  /** Lets each shot choose; those of one choice go on here, the others in branches of their own. */
  #part(
    branch: Branch,
    choose: (draw: () => number) => number,
    then: (part: Branch, choice: number) => void,
  ): void {
    const { rng, stream } = this.#run
    const groups = new Map<number, number[]>()
    for (const shot of branch.shots) {
      rng.seek(stream, shot, PURPOSE.measurement, MIDDLE + branch.step)
      const choice = choose(() => rng.next())
      const group = groups.get(choice)
      if (group) group.push(shot)
      else groups.set(choice, [shot])
    }
    const [first, ...others] = [...groups].sort(([, one], [, other]) => other.length - one.length)
    for (const [choice, shots] of others) {
      const part = {
        chain: branch.chain.clone(),
        step: branch.step + 1,
        shots: Uint32Array.from(shots),
        bits: branch.bits.slice(),
      }
      then(part, choice)
      this.#waiting.push(part)
    }
    if (!first) return
    branch.shots = Uint32Array.from(first[1])
    then(branch, first[0])
  }
}
