import type { Gate, Joined, Scope } from './execute/scope.ts'
import { FIRST_ARGUMENT, qubitsOf } from './features.ts'
import type { PackedCalls } from './syntax/packed-calls.ts'

/** What a program needs of a chip at least. */
export interface ChipNeeds {
  /** Number of qubits that it uses. */
  qubits: number
  /** The physical qubits `$n` among them, in ascending order. */
  physical: number[]
  /** Pairs of physical qubits that gates on two qubits join. */
  pairs: [number, number][]
  /** Sizes of the groups of qubits that its gates join, the largest first. */
  groups: number[]
}

/** Pairs that are noted of one program, and groups of arguments of one gate. */
const MAX_NOTED = 20_000

/**
 * Collects the qubits on which a program acts while it is checked, and which of them its gates join; barriers
 * do not count, and neither does what a condition of constants excludes. Qubits that only an execution could
 * find, such as those of a call of a subroutine, are not found, so that at least these are used. An exchange
 * of states joins nothing, because it may be done by naming the qubits otherwise.
 */
export class UsedQubits {
  /** Indices as the checker has them: `$n` is -2 - n. */
  readonly #found = new Set<number>()
  /** Another qubit of the same group; absent for one that represents its group. */
  readonly #groups = new Map<number, number>()
  readonly #pairs = new Map<string, [number, number]>()
  /** What the gate that is being defined joins, by positions of its arguments. */
  #body = new Map<string, Joined>()
  #excluded = 0

  add(qubits: readonly number[], scope: Scope): void {
    if (!this.#counts(scope)) return
    for (const qubit of qubits) this.#add(qubit)
  }

  /** A call of a gate on qubits, of which the first `controls` ones are those of modifiers. */
  call(gate: Gate, qubits: readonly number[], controls: number, scope: Scope): void {
    this.add(qubits, scope)
    if (qubits.length < 2) return
    const joined = controls > 0 ? [qubits.keys().toArray()] : joinedBy(gate)
    for (const places of joined)
      this.#join(
        places.map((place) => qubits[place] ?? -1),
        scope,
      )
  }

  /** Gate calls that the parser has packed; `scope` resolves their registers and gates. */
  addPacked(calls: PackedCalls, scope: Scope): void {
    if (scope.owner() !== 'gate' && !this.#counts(scope)) return
    const registers = calls.registers.map((name) => qubitsOf(scope, name))
    const gates = calls.gates.map(({ name }) => gateOf(scope, name))
    const isCounted = this.#counts(scope)
    const qubitAt = (place: number) => {
      const [register, number] = [calls.registerAt(place), calls.qubitAt(place)]
      return register < 0 ? -2 - number : (registers[register]?.[number] ?? -1)
    }
    calls.visit((index, _, first) => {
      const gate = gates[index]
      const count = calls.gates[index]?.arity.qubits ?? 0
      const qubits = Array.from({ length: count }, (_, at) => qubitAt(first + 2 * at))
      if (gate && count > 1) this.call(gate, qubits, 0, scope)
      else if (isCounted) for (const qubit of qubits) this.#add(qubit)
    })
  }

  /** Visits what no run reaches. */
  exclude(visit: () => void): void {
    this.#excluded++
    visit()
    this.#excluded--
  }

  /** Runs `visit` for the body of a gate and returns what it joins. */
  define(visit: () => void): Joined[] {
    this.#body = new Map()
    visit()
    return [...this.#body.values()]
  }

  get needs(): ChipNeeds {
    const physical = [...this.#found].flatMap((qubit) => (isPhysical(qubit) ? [numberOf(qubit)] : []))
    const sizes = Map.groupBy(this.#groups.keys(), (qubit) => this.#representative(qubit))
    return {
      qubits: this.#found.size,
      physical: physical.sort((one, other) => one - other),
      pairs: [...this.#pairs.values()],
      groups: [...sizes.values()].map(({ length }) => length + 1).sort((one, other) => other - one),
    }
  }

  #counts(scope: Scope): boolean {
    return this.#excluded === 0 && scope.owner() === 'global'
  }

  #add(qubit: number): void {
    if (isKnown(qubit)) this.#found.add(qubit)
  }

  #join(qubits: readonly number[], scope: Scope): void {
    if (scope.owner() === 'gate') this.#joinArguments(qubits)
    if (!this.#counts(scope)) return
    const [one, other] = qubits
    if (one === undefined || other === undefined) return
    if (qubits.length === 2 && isPhysical(one) && isPhysical(other))
      this.#pair(numberOf(one), numberOf(other))
    const known = qubits.filter(isKnown)
    for (const qubit of known.slice(1)) {
      const [into, from] = [this.#representative(known[0] ?? -1), this.#representative(qubit)]
      if (into !== from) this.#groups.set(from, into)
    }
  }

  #joinArguments(qubits: readonly number[]): void {
    const places = qubits.map((qubit) => FIRST_ARGUMENT - qubit)
    if (this.#body.size < MAX_NOTED) this.#body.set(places.join(' '), places)
  }

  #pair(one: number, other: number): void {
    const pair: [number, number] = one < other ? [one, other] : [other, one]
    if (this.#pairs.size < MAX_NOTED) this.#pairs.set(pair.join(' '), pair)
  }

  /** The qubit that stands for the group of this one. */
  #representative(qubit: number): number {
    let at = qubit
    for (let next = this.#groups.get(at); next !== undefined; next = this.#groups.get(at)) {
      const beyond = this.#groups.get(next)
      // Halves the way for the next search.
      if (beyond !== undefined) this.#groups.set(at, beyond)
      at = next
    }
    return at
  }
}

function gateOf(scope: Scope, name: string): Gate | undefined {
  const entry = scope.find(name)?.entry
  return entry?.kind === 'gate' ? entry.gate : undefined
}

/** What one call of a gate joins, by positions of its arguments. */
function joinedBy(gate: Gate): readonly Joined[] {
  if (gate.kind === 'user') return gate.joins
  return gate.name === 'swap' ? [] : [Array.from({ length: gate.qubits }, (_, place) => place)]
}

const isKnown = (qubit: number) => qubit !== -1 && qubit > FIRST_ARGUMENT
const isPhysical = (qubit: number) => isKnown(qubit) && qubit < 0
const numberOf = (physical: number) => -2 - physical
