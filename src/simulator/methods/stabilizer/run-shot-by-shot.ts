import type { Op, Sink } from '../../../qasm/index.ts'
import type { MethodRun, Workload } from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import type { ChannelOp, NoiseModel } from '../../noise/noise-model.ts'
import { PURPOSE } from '../../numeric/random.ts'
import { canMisread } from '../../readout/readout.ts'
import type { QubitPlaces } from '../../reduction/qubit-places.ts'
import { walkOnTrial } from '../../reduction/trial-walk.ts'
import { OP_WORK } from '../../timing/time-budget.ts'
import { CliffordRecognizer } from './clifford.ts'
import { type NonCliffordStep, nonCliffordRefusal } from './non-clifford.ts'
import { pauliTermsOf, pickTerm } from './pauli-noise.ts'
import { refuseSize, Tableau } from './tableau.ts'

/** Runs a program with feedback, each shot on a tableau of its own. */
export async function runShotByShot(workload: Workload, run: MethodRun): Promise<void> {
  const reader = new CliffordRecognizer()
  const places = workload.createPlaces()
  for (let shot = 0; shot < workload.shots; shot++) {
    run.rng.seek(run.stream, shot, PURPOSE.measurement)
    run.tally.add(workload.walk(new TableauShot(places, run, reader, workload.noise)), [shot])
    await run.timeBudget.yieldIfDue()
  }
}

/** Trial walks, so that most programs that are not Clifford are refused before they run. */
const TRIALS = [1, 2, 3]

/**
 * The first step in some trial walks that is not Clifford. Other outcomes may still lead to one: then the run
 * ends with `UnsuitableMethodError`.
 */
export function findNonCliffordStep({ walk, noise }: Workload): NonCliffordStep | undefined {
  const reader = new CliffordRecognizer()
  let found: NonCliffordStep | undefined
  for (const seed of TRIALS) {
    walkOnTrial(walk, seed, (op) => {
      if (op.kind === 'reset') return false
      if (op.kind !== 'delay' && !reader.recognize(op)) found = op
      else found = noise?.channelsAfter?.(op).find(({ channel }) => !pauliTermsOf(channel))
      return found !== undefined
    })
    if (found) return found
  }
  return undefined
}

/** One shot. */
class TableauShot implements Sink {
  #tableau: Tableau
  readonly #places: QubitPlaces
  readonly #run: MethodRun
  readonly #reader: CliffordRecognizer
  readonly #noise: NoiseModel | undefined

  constructor(
    places: QubitPlaces,
    run: MethodRun,
    reader: CliffordRecognizer,
    noise: NoiseModel | undefined,
  ) {
    this.#tableau = new Tableau(places.size)
    this.#places = places
    this.#run = run
    this.#reader = reader
    this.#noise = noise
  }

  /** Number of words of a row. */
  get #row(): number {
    return 2 * Math.ceil(this.#tableau.qubits / 32)
  }

  /** The place of a qubit that a step changes. */
  readonly #placeOf = (qubit: number): number => {
    const place = this.#places.take(qubit)
    if (place < this.#tableau.qubits) return place
    const refusal = refuseSize(this.#places.size)
    if (refusal) throw new UnsuitableMethodError(refusal)
    this.#tableau = this.#tableau.grown(this.#places.size)
    return place
  }

  apply(op: Op): void {
    if (op.kind === 'reset' && this.#outcomeOf(op.qubit) === 1) this.#tableau.flip(this.#placeOf(op.qubit))
    if (op.kind === 'unitary' || op.kind === 'phase') {
      const gate = this.#reader.recognize(op)
      if (!gate) throw new UnsuitableMethodError(nonCliffordRefusal(op))
      const qubits = gate.qubits.map(this.#placeOf)
      this.#tableau.apply({ ...gate, qubits })
      this.#run.timeBudget.spend(OP_WORK + 32 * this.#row)
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
    const place = this.#places.find(qubit)
    if (place === undefined || place >= this.#tableau.qubits) return 0
    const isRandom = this.#tableau.isRandom(place)
    timeBudget.spend(OP_WORK + 4 * (isRandom ? 2 * this.#tableau.qubits * this.#row : this.#row))
    return this.#tableau.measure(place, () => (rng.next() < 0.5 ? 0 : 1))
  }

  #applyChannel(op: ChannelOp): void {
    const terms = pauliTermsOf(op.channel)
    if (!terms) throw new UnsuitableMethodError(nonCliffordRefusal(op))
    const { x, z } = pickTerm(terms, this.#run.rng.next())
    for (const [index, qubit] of op.qubits.entries()) {
      const place = this.#placeOf(qubit)
      if ((x >> index) & 1) this.#tableau.flip(place)
      if ((z >> index) & 1) this.#tableau.flipPhase(place)
    }
  }
}
