import { type Circuit, type Op, type PhaseOp, secondsOf, type UnitaryOp } from '../../../src/qasm/index.ts'
import type { Description } from '../../api/model/qpus/chip.ts'
import { costOf, type GateCost } from './pulses.ts'

/** The part of a circuit's fidelity that each kind of error leaves; their product is the fidelity. */
export interface Fidelity {
  total: number
  gates: number
  readout: number
  idle: number
}

/** A fidelity, or the reason it is unknown. */
export type Expected = Fidelity | { unknown: string }

/** Gates of two qubits that are equal to cz up to rotations of one qubit. */
const ENTANGLERS = ['cz', 'cx', 'ecr', 'cnot'] as const
/** Gates that rotate by π/2 and by π. */
const PULSE = ['sx', 'rx90', 'x90']

class Unknown extends Error {}

/**
 * The fidelity that calibrated values predict for one execution of a circuit: the product of 1 − error over
 * its gates and its readouts (Murali et al., ASPLOS 2019, "estimated success probability"), and of the
 * average fidelity of relaxation and dephasing over the times in which a qubit waits between two gates,
 * 1/2 + exp(−t/T1)/6 + exp(−t/T2)/3 (Abad et al., PRL 129, 150504, 2022).
 *
 * It assumes that qubit i of the program is qubit i of the device, that gates start as early as they can, and
 * that other gates are made of the device's own; `docs/explanation/expected-fidelity.md` lists everything.
 */
export function expectedFidelity({ ops, dynamic }: Circuit, description: Description): Expected {
  if (dynamic || !ops) return { unknown: 'outcomes decide what runs' }
  if (description.gates.length === 0) return { unknown: 'the QPU describes no gates' }
  try {
    return new Estimate(description).of(ops)
  } catch (error) {
    if (error instanceof Unknown) return { unknown: error.message }
    throw error
  }
}

interface Place {
  error: number
  seconds: number
}

class Estimate {
  readonly #device: Description
  readonly #free: number[] = []
  readonly #isUsed: boolean[] = []
  readonly #known = new Map<string, Place>()
  #gates = 1
  #readout = 1
  #idle = 1

  constructor(device: Description) {
    this.#device = device
  }

  of(ops: readonly Op[]): Fidelity {
    for (const op of ops) this.#add(op)
    const [gates, readout, idle] = [this.#gates, this.#readout, this.#idle]
    return { total: gates * readout * idle, gates, readout, idle }
  }

  #add(op: Op): void {
    if (op.kind === 'measure') this.#measure(op.qubit)
    else if (op.kind === 'barrier') this.#align(op.qubits)
    else if (op.kind === 'delay') for (const qubit of op.qubits) this.#wait(qubit, secondsOf(op))
    else if (op.kind === 'reset') throw new Unknown('the error of a reset is not described')
    else {
      const cost = costOf(op)
      if (!cost) throw new Unknown(`the gates that ${nameOf(op)} is made of are not known`)
      this.#gate(cost)
    }
  }

  #gate(cost: GateCost): void {
    for (const qubit of cost.qubits) this.#assertInUse(qubit)
    const place = this.#placeOf(cost)
    if (!place) return
    const start = Math.max(...cost.qubits.map((qubit) => this.#free[qubit] ?? 0))
    for (const qubit of cost.qubits) {
      this.#idleUntil(qubit, start)
      this.#free[qubit] = start + place.seconds
      this.#isUsed[qubit] = true
    }
    this.#gates *= 1 - place.error
  }

  /** Error and duration of an operation on these qubits; undefined if it costs nothing. */
  #placeOf({ name, qubits, entangling, pulses }: GateCost): Place | undefined {
    const key = `${name} ${qubits.join(' ')} ${entangling} ${pulses}`
    const known = this.#known.get(key)
    if (known) return known
    const isFree = this.#device.gates.some((gate) => gate.name === name && gate.virtual)
    if (isFree || (entangling === 0 && pulses === 0)) return undefined
    const direct = this.#described(name, qubits)
    const place =
      direct ?? (entangling > 0 ? this.#entangled(qubits, entangling) : this.#rotated(qubits[0] ?? 0, pulses))
    this.#known.set(key, place)
    return place
  }

  #rotated(qubit: number, pulses: number): Place {
    const pulse = this.#any(PULSE, [qubit])
    if (pulse) return repeated(pulse, pulses)
    // Some devices describe rotations by any angle instead.
    const rotation = this.#any(['rxy', 'rx', 'ry', 'u', 'u3', 'x'], [qubit])
    if (rotation) return rotation
    throw new Unknown(`no error of a gate on ${this.#name(qubit)} is described`)
  }

  #entangled(qubits: readonly number[], count: number): Place {
    const pairs = qubits.flatMap((one, at) => qubits.slice(at + 1).map((other) => [one, other]))
    const found = pairs.flatMap((pair) => this.#any(ENTANGLERS, pair) ?? [])
    if (found.length < qubits.length - 1 || found.length === 0) {
      throw new Unknown(`${qubits.map((qubit) => this.#name(qubit)).join(' and ')} are not coupled`)
    }
    const worst = found.reduce((one, other) => (other.error > one.error ? other : one))
    const around = qubits.slice(0, 2).map((qubit) => this.#rotated(qubit, 1))
    const error = 1 - around.reduce((left, { error }) => left * (1 - error), 1 - worst.error)
    return repeated(
      { error, seconds: worst.seconds + Math.max(...around.map(({ seconds }) => seconds)) },
      count,
    )
  }

  #any(names: readonly string[], qubits: readonly number[]): Place | undefined {
    const found = names.flatMap((name) => this.#described(name, qubits) ?? [])
    return found.length === 0
      ? undefined
      : found.reduce((one, other) => (other.error < one.error ? other : one))
  }

  /** A described gate on these qubits, in either order if it entangles. */
  #described(name: string, qubits: readonly number[]): Place | undefined {
    const isSymmetric = ENTANGLERS.some((each) => each === name)
    const wanted = [qubits.join(), isSymmetric ? qubits.toReversed().join() : '']
    const gate = this.#device.gates.find((each) => each.name === name)
    const place = gate?.on.find((each) => wanted.includes(each.qubits.join()))
    if (!place?.operational || place.error === undefined) return undefined
    return { error: place.error, seconds: place.duration_s ?? 0 }
  }

  #measure(qubit: number): void {
    this.#assertInUse(qubit)
    const error = this.#device.qubits[qubit]?.readout_error
    if (error === undefined) throw new Unknown(`the readout error of ${this.#name(qubit)} is not described`)
    this.#readout *= 1 - error
  }

  #align(qubits: readonly number[]): void {
    const start = Math.max(...qubits.map((qubit) => this.#free[qubit] ?? 0))
    for (const qubit of qubits) {
      this.#idleUntil(qubit, start)
      this.#free[qubit] = start
    }
  }

  #wait(qubit: number, seconds: number): void {
    const end = (this.#free[qubit] ?? 0) + seconds
    this.#idleUntil(qubit, end)
    this.#free[qubit] = end
  }

  /** A qubit that no gate has acted on yet is in its ground state and loses nothing. */
  #idleUntil(qubit: number, end: number): void {
    const seconds = end - (this.#free[qubit] ?? 0)
    if (!this.#isUsed[qubit] || seconds <= 0) return
    const { t1_s: t1 = Number.POSITIVE_INFINITY, t2_s: t2 = Number.POSITIVE_INFINITY } =
      this.#device.qubits[qubit] ?? {}
    this.#idle *= 1 / 2 + Math.exp(-seconds / t1) / 6 + Math.exp(-seconds / t2) / 3
  }

  #assertInUse(qubit: number): void {
    const found = this.#device.qubits[qubit]
    if (!found) throw new Unknown(`the QPU describes no qubit ${qubit}`)
    if (!found.operational) throw new Unknown(`${found.name} is not in use`)
  }

  #name(qubit: number): string {
    return this.#device.qubits[qubit]?.name ?? `qubit ${qubit}`
  }
}

function nameOf(op: UnitaryOp | PhaseOp): string {
  return op.kind === 'phase' ? 'a controlled phase' : op.name
}

function repeated({ error, seconds }: Place, times: number): Place {
  return { error: 1 - (1 - error) ** times, seconds: seconds * times }
}
