import type { Op, Sink } from '../../../qasm/index.ts'
import type { MethodRun, Task } from '../../define-method.ts'
import type { ChannelOp, NoiseModel } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { canErr } from '../../readout/readout.ts'
import { CliffordReader } from './clifford.ts'
import { type Foreign, foreignError } from './foreign.ts'
import { pauliTermsOf, pickTerm } from './pauli-noise.ts'
import { Tableau } from './tableau.ts'

/** Runs a program that outcomes steer, each shot on a tableau of its own. */
export async function runWalks(task: Task, run: MethodRun): Promise<void> {
  const reader = new CliffordReader()
  for (let shot = 0; shot < task.shots; shot++) {
    run.rng.seek(run.stream, shot, PURPOSE.measurement)
    run.tally.add(task.walk(new Shot(task.qubits, run, reader, task.noise)), [shot])
    await run.timeBudget.yieldIfDue()
  }
  run.phases.end('evolve')
}

/**
 * Walks a program twice, with outcomes that alternate so that loops which wait for one of them end, and returns the
 * first step that no tableau can take. Other outcomes may still lead to one.
 */
export function lookForForeign(task: Task): Foreign | undefined {
  return lookAlong(task, 1) ?? lookAlong(task, 0)
}

function lookAlong(task: Task, first: 0 | 1): Foreign | undefined {
  const reader = new CliffordReader()
  let foreign: Foreign | undefined
  let outcomes: number = first
  const look = (op: Op): Foreign | undefined => {
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return undefined
    if (op.kind !== 'delay' && !reader.read(op)) return op
    return task.noise?.after?.(op).find(({ channel }) => !pauliTermsOf(channel))
  }
  try {
    task.walk({
      apply(op) {
        foreign = look(op)
        if (foreign) throw foreignError(foreign)
      },
      measure: () => (outcomes++ % 2 === 0 ? 0 : 1),
    })
  } catch {
    // What else is wrong with the program shows when it runs.
  }
  return foreign
}

/** One shot. */
class Shot implements Sink {
  readonly #tableau: Tableau
  readonly #run: MethodRun
  readonly #reader: CliffordReader
  readonly #noise: NoiseModel | undefined
  /** Words of a row. */
  readonly #row: number

  constructor(qubits: number, run: MethodRun, reader: CliffordReader, noise: NoiseModel | undefined) {
    this.#tableau = new Tableau(qubits)
    this.#run = run
    this.#reader = reader
    this.#noise = noise
    this.#row = 2 * Math.ceil(qubits / 32)
  }

  apply(op: Op): void {
    if (op.kind === 'reset' && this.#outcomeOf(op.qubit) === 1) this.#tableau.flip(op.qubit)
    if (op.kind === 'unitary' || op.kind === 'phase') {
      const gate = this.#reader.read(op)
      if (!gate) throw foreignError(op)
      this.#tableau.apply(gate)
      this.#run.timeBudget.spend(8 * this.#row)
    }
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return
    for (const channel of this.#noise?.after?.(op) ?? []) this.#disturb(channel)
  }

  measure(qubit: number): 0 | 1 {
    const outcome = this.#outcomeOf(qubit)
    const error = this.#run.errors(qubit)
    const isMisread = canErr(error) && this.#run.rng.next() < error[outcome]
    return isMisread === (outcome === 1) ? 0 : 1
  }

  #outcomeOf(qubit: number): 0 | 1 {
    const { timeBudget, rng } = this.#run
    const isRandom = this.#tableau.isRandom(qubit)
    timeBudget.spend(isRandom ? 2 * this.#tableau.qubits * this.#row : this.#row)
    return this.#tableau.measure(qubit, () => (rng.next() < 0.5 ? 0 : 1))
  }

  #disturb(op: ChannelOp): void {
    const terms = pauliTermsOf(op.channel)
    if (!terms) throw foreignError(op)
    const { x, z } = pickTerm(terms, this.#run.rng.next())
    for (const [place, qubit] of op.qubits.entries()) {
      if ((x >> place) & 1) this.#tableau.flip(qubit)
      if ((z >> place) & 1) this.#tableau.flipPhase(qubit)
    }
  }
}
