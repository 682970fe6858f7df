import type { MethodRun, Workload } from '../../define-method.ts'
import type { ChannelOp } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { shotNumbers } from '../../numeric/shot-numbers.ts'
import type { ReducedCircuit, StateOp } from '../../reduction/reduce-circuit.ts'
import { PlanWalk } from './outlook/walk-plan.ts'
import { planChain } from './plan-chain.ts'
import { sampleAll } from './sample.ts'
import { type ChainSettings, TensorChain } from './tensor-chain.ts'
import type { TruncationRecord } from './truncation-record.ts'

/** Shots with equal outcomes so far, and their position in the circuit. */
interface Branch {
  chain: TensorChain
  step: number
  shots: Uint32Array
  bits: Uint8Array
}

/** Mid-circuit draws use random blocks above those of the final measurements, one per step. */
const MID_CIRCUIT_BLOCK = 2 ** 31

/** Runs a circuit without feedback: shots branch where their outcomes or their noise differ. */
export class BranchRunner {
  readonly #run: MethodRun
  readonly #waiting: Branch[] = []
  readonly #losses: TruncationRecord

  constructor(run: MethodRun, losses: TruncationRecord) {
    this.#run = run
    this.#losses = losses
  }

  /** Runs all shots of a workload into the tally. */
  async runAll(
    { ops: steps, qubits, terminal }: ReducedCircuit,
    workload: Workload,
    settings: Omit<ChainSettings, 'meeting'>,
  ): Promise<void> {
    const { tally, timeBudget } = this.#run
    const shots = shotNumbers(workload.shots)
    const bits = new Uint8Array(workload.clbits)
    const plan = planChain(steps, qubits, timeBudget)
    const { meeting } = plan
    const chain = new TensorChain(qubits, { ...settings, meeting })
    // A qubit without a site has never been changed.
    const measured = terminal.map(({ qubit }) => qubit).filter((qubit) => chain.has(qubit))
    this.#waiting.push({ chain, step: 0, shots, bits })
    const walk = new PlanWalk({ plan, settings: { ...settings, meeting }, timeBudget })
    for (let branch = this.#waiting.pop(); branch; branch = this.#waiting.pop()) {
      timeBudget.enter('evolve')
      await walk.run(branch, (part, op) => this.#branch(part, op))
      const end = branch
      this.#losses.add(end.chain)
      timeBudget.enter('sample')
      await sampleAll(end.chain, end.shots, this.#run, measured, (values, group) => {
        for (const { qubit, clbit } of terminal) end.bits[clbit] = values[qubit] ?? 0
        tally.add(end.bits, group)
      })
    }
  }

  #branch(branch: Branch, op: StateOp): void {
    if (op.kind === 'channel') this.#applyChannel(branch, op)
    else if (op.kind === 'reset') this.#reset(branch, op.qubit)
    else if (op.kind === 'measure') this.#measure(branch, op)
  }

  #applyChannel(branch: Branch, { qubits: targets, channel }: ChannelOp): void {
    const operators = channel.kraus.map((matrix) => ({ targets, controls: [], controlValues: 0, matrix }))
    const weights = operators.map((operator) => branch.chain.krausProbability(operator))
    const total = weights.reduce((sum, each) => sum + each, 0)
    const pick = (draw: number) => {
      let rest = draw * total
      const found = weights.findIndex((weight) => {
        rest -= weight
        return rest < 0
      })
      return found < 0 ? weights.length - 1 : found
    }
    this.#branchOff(
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
    this.#branchOff(
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
    const error = this.#run.readoutErrorOf(qubit)
    // Bit 0: the outcome. Bit 1: the outcome with readout error.
    const choose = (draw: () => number) => {
      const outcome = draw() < one ? 1 : 0
      const isMisread = draw() < error[outcome]
      return outcome | ((isMisread ? 1 - outcome : outcome) << 1)
    }
    this.#branchOff(branch, choose, ({ chain, bits }, choice) => {
      chain.project(qubit, (choice & 1) === 1 ? 1 : 0)
      if (clbit >= 0) bits[clbit] = choice >> 1
    })
  }

  /**
   * Lets each shot choose; the largest group continues in this branch, each other group in one of its own.
   */
  #branchOff(
    branch: Branch,
    choose: (draw: () => number) => number,
    then: (part: Branch, choice: number) => void,
  ): void {
    const { rng, stream } = this.#run
    const groups = new Map<number, number[]>()
    for (const shot of branch.shots) {
      rng.seek(stream, shot, PURPOSE.measurement, MID_CIRCUIT_BLOCK + branch.step)
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
