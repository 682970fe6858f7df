import type { Op, Sink } from '../../../qasm/index.ts'
import type { MethodRun, Workload } from '../../define-method.ts'
import type { ChannelOp, NoiseModel } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { canMisread } from '../../readout/readout.ts'
import { CliffordRecognizer } from './clifford.ts'
import { type NonCliffordStep, nonCliffordError } from './non-clifford.ts'
import { pauliTermsOf, pickTerm } from './pauli-noise.ts'
import { Tableau } from './tableau.ts'

/** Runs a program with feedback, each shot on a tableau of its own. */
export async function runShotByShot(workload: Workload, run: MethodRun): Promise<void> {
  const reader = new CliffordRecognizer()
  for (let shot = 0; shot < workload.shots; shot++) {
    run.rng.seek(run.stream, shot, PURPOSE.measurement)
    run.tally.add(workload.walk(new TableauShot(workload.qubits, run, reader, workload.noise)), [shot])
    await run.timeBudget.yieldIfDue()
  }
  run.phaseTimer.end('evolve')
}

/**
 * Walks a program twice, with alternating outcomes so that loops that wait for one of them end, and returns
 * the first step that is not Clifford. Other outcomes may still lead to one.
 */
export function findNonCliffordStep(workload: Workload): NonCliffordStep | undefined {
  return findAlongWalk(workload, 1) ?? findAlongWalk(workload, 0)
}

function findAlongWalk(workload: Workload, first: 0 | 1): NonCliffordStep | undefined {
  const reader = new CliffordRecognizer()
  let found: NonCliffordStep | undefined
  let outcomes: number = first
  const inspect = (op: Op): NonCliffordStep | undefined => {
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return undefined
    if (op.kind !== 'delay' && !reader.recognize(op)) return op
    return workload.noise?.channelsAfter?.(op).find(({ channel }) => !pauliTermsOf(channel))
  }
  try {
    workload.walk({
      apply(op) {
        found = inspect(op)
        if (found) throw nonCliffordError(found)
      },
      measure: () => (outcomes++ % 2 === 0 ? 0 : 1),
    })
  } catch {
    // Other errors of the program are reported when it runs.
  }
  return found
}

/** One shot. */
class TableauShot implements Sink {
  readonly #tableau: Tableau
  readonly #run: MethodRun
  readonly #reader: CliffordRecognizer
  readonly #noise: NoiseModel | undefined
  /** Number of words of a row. */
  readonly #row: number

  constructor(qubits: number, run: MethodRun, reader: CliffordRecognizer, noise: NoiseModel | undefined) {
    this.#tableau = new Tableau(qubits)
    this.#run = run
    this.#reader = reader
    this.#noise = noise
    this.#row = 2 * Math.ceil(qubits / 32)
  }

  apply(op: Op): void {
    if (op.kind === 'reset' && this.#outcomeOf(op.qubit) === 1) this.#tableau.flip(op.qubit)
    if (op.kind === 'unitary' || op.kind === 'phase') {
      const gate = this.#reader.recognize(op)
      if (!gate) throw nonCliffordError(op)
      this.#tableau.apply(gate)
      this.#run.timeBudget.spend(8 * this.#row)
    }
    if (op.kind === 'reset' || op.kind === 'measure' || op.kind === 'barrier') return
    for (const channel of this.#noise?.channelsAfter?.(op) ?? []) this.#applyChannel(channel)
  }

  measure(qubit: number): 0 | 1 {
    const outcome = this.#outcomeOf(qubit)
    const error = this.#run.readoutErrorOf(qubit)
    const isMisread = canMisread(error) && this.#run.rng.next() < error[outcome]
    return isMisread === (outcome === 1) ? 0 : 1
  }

  #outcomeOf(qubit: number): 0 | 1 {
    const { timeBudget, rng } = this.#run
    const isRandom = this.#tableau.isRandom(qubit)
    timeBudget.spend(isRandom ? 2 * this.#tableau.qubits * this.#row : this.#row)
    return this.#tableau.measure(qubit, () => (rng.next() < 0.5 ? 0 : 1))
  }

  #applyChannel(op: ChannelOp): void {
    const terms = pauliTermsOf(op.channel)
    if (!terms) throw nonCliffordError(op)
    const { x, z } = pickTerm(terms, this.#run.rng.next())
    for (const [place, qubit] of op.qubits.entries()) {
      if ((x >> place) & 1) this.#tableau.flip(qubit)
      if ((z >> place) & 1) this.#tableau.flipPhase(qubit)
    }
  }
}
