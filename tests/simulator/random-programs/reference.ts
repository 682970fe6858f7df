import { applied, channelsAfter, controlled, type Matrix, matrixOf, modified } from './matrices.ts'
import {
  type Angle,
  type BitValue,
  GATES,
  type Operand,
  type RandomProgram,
  type Statement,
  type Truth,
} from './program.ts'

/** Branches of less probability are left out. */
const LEAST_WEIGHT = 1e-13

/** States by their classical bits; density matrices are added up, their trace is their probability. */
type States = Map<string, { bits: number[]; rho: Float64Array }>

/** What names stand for. */
type Names = Readonly<Record<string, number>>

/** Where shots go that leave a block. */
interface Exits {
  broken: States
  continued: States
}

/**
 * The probability of each outcome of a program, by bit string, the first register rightmost: density
 * matrices of the qubits that it touches, one for each state of the classical bits. It shares no code with
 * the language or the simulator.
 */
export function distributionOf(program: RandomProgram, set: number): Map<string, number> {
  return new Reference(program, set).run()
}

class Reference {
  readonly #program: RandomProgram
  readonly #places: Map<number, number>
  readonly #size: number
  /** First index of each register; `r` of the subroutines comes last. */
  readonly #offsets = new Map<string, number>()
  readonly #width: number
  readonly #inputs: Names
  readonly #ended: States = new Map()

  constructor(program: RandomProgram, set: number) {
    this.#program = program
    this.#places = new Map(program.touched.map((qubit, place) => [qubit, place]))
    this.#size = program.touched.length
    let offset = 0
    for (const [name, width] of program.registers) {
      this.#offsets.set(name, offset)
      offset += width
    }
    this.#width = offset
    this.#offsets.set('r', offset)
    this.#inputs = { ...program.inputs[set] }
  }

  run(): Map<string, number> {
    const rho = new Float64Array(2 * 4 ** this.#size)
    rho[0] = 1
    const start: States = new Map()
    add(start, new Array<number>(this.#width + 1).fill(0), rho)
    const exits = { broken: new Map(), continued: new Map() }
    const end = this.#block(this.#program.statements, start, this.#inputs, exits)
    for (const { bits, rho } of end.values()) add(this.#ended, bits, rho)
    const outcomes = new Map<string, number>()
    for (const { bits, rho } of this.#ended.values()) {
      const key = bits.slice(0, this.#width).toReversed().join('')
      outcomes.set(key, (outcomes.get(key) ?? 0) + this.#trace(rho))
    }
    return outcomes
  }

  #trace(rho: Float64Array): number {
    let sum = 0
    for (let index = 0; index < 2 ** this.#size; index++)
      sum += rho[2 * index * (2 ** this.#size + 1)] as number
    return sum
  }

  #block(body: readonly Statement[], from: States, names: Names, exits: Exits): States {
    let states = from
    for (const node of body) {
      if (states.size === 0) return states
      states = this.#execute(node, states, names, exits)
    }
    return states
  }

  #execute(node: Statement, states: States, names: Names, exits: Exits): States {
    const place = (qubit: Operand) =>
      this.#places.get(typeof qubit === 'number' ? qubit : (names[qubit] as number)) as number
    switch (node.kind) {
      case 'gate':
        return this.#gate(node, node.qubits.map(place), states, names)
      case 'measure':
        return this.#measure(place(node.qubit), node.bit && this.#bit(node.bit), states)
      case 'reset':
        return this.#map(states, (rho) =>
          this.#sum(
            rho,
            [place(node.qubit)],
            [
              [1, 0, 0, 0, 0, 0, 0, 0],
              [0, 0, 1, 0, 0, 0, 0, 0],
            ],
          ),
        )
      case 'barrier':
        return states
      case 'assign':
        return this.#split(states, (bits) => {
          bits[this.#bit(node.bit)] = this.#value(node.value, bits)
        })
      case 'if': {
        const [then, otherwise] = this.#decided(node.truth, states, names)
        return union(
          this.#block(node.taken, then, names, exits),
          this.#block(node.otherwise ?? [], otherwise, names, exits),
        )
      }
      case 'while':
        return this.#while(node, states, names)
      case 'for':
        return this.#for(node, states, names)
      case 'switch':
        return this.#switch(node, states, names, exits)
      case 'call': {
        const [a, b] = node.qubits.map((qubit) =>
          typeof qubit === 'number' ? qubit : (names[qubit] as number),
        )
        const body = this.#program.subroutines.find(({ name }) => name === node.name)?.body ?? []
        const done = this.#block(body, states, { a: a as number, b: b as number }, exits)
        const local = this.#bit({ register: 'r', index: 0 })
        return this.#split(done, (bits) => {
          if (node.bit) bits[this.#bit(node.bit)] = bits[local] as number
          bits[local] = 0
        })
      }
      default: {
        const exit = { break: exits.broken, continue: exits.continued, end: this.#ended }[node.kind]
        for (const { bits, rho } of states.values()) add(exit, bits, rho)
        return new Map()
      }
    }
  }

  #while(node: Statement & { kind: 'while' }, states: States, names: Names): States {
    const left: States = new Map()
    let inside = states
    while (inside.size > 0) {
      const [again, done] = this.#decided(node.truth, inside, names)
      for (const { bits, rho } of done.values()) add(left, bits, rho)
      const exits: Exits = { broken: left, continued: new Map() }
      inside = union(this.#block(node.body, again, names, exits), exits.continued)
      for (const [key, { rho }] of inside) if (this.#trace(rho) < LEAST_WEIGHT) inside.delete(key)
    }
    return left
  }

  #for(node: Statement & { kind: 'for' }, states: States, names: Names): States {
    const left: States = new Map()
    let inside = states
    for (let value = node.from; value <= node.to; value++) {
      const exits: Exits = { broken: left, continued: new Map() }
      inside = union(this.#block(node.body, inside, { ...names, [node.name]: value }, exits), exits.continued)
    }
    return union(left, inside)
  }

  #switch(node: Statement & { kind: 'switch' }, states: States, names: Names, exits: Exits): States {
    const done: States = new Map()
    for (const { bits, rho } of states.values()) {
      const value = this.#register(node.register, bits)
      const { body } = node.cases.find(({ values }) => values.includes(value)) ?? { body: node.otherwise }
      const only: States = new Map()
      add(only, bits, rho)
      for (const end of this.#block(body, only, names, exits).values()) add(done, end.bits, end.rho)
    }
    return done
  }

  /** The states in which a condition holds, and the others. */
  #decided(truth: Truth, states: States, names: Names): [States, States] {
    const parts: [States, States] = [new Map(), new Map()]
    for (const { bits, rho } of states.values())
      add(parts[this.#isTrue(truth, bits, names) ? 0 : 1], bits, rho)
    return parts
  }

  #isTrue(truth: Truth, bits: readonly number[], names: Names): boolean {
    switch (truth.kind) {
      case 'isOne':
        return this.#value(truth.of, bits) === 1
      case 'isZero':
        return this.#value(truth.of, bits) === 0
      case 'number':
        return names[truth.name] === truth.value
      case 'compare': {
        const value = this.#register(truth.register, bits)
        if (truth.relation === '==') return value === truth.value
        if (truth.relation === '!=') return value !== truth.value
        return truth.relation === '<' ? value < truth.value : value > truth.value
      }
      case '&&':
        return this.#isTrue(truth.one, bits, names) && this.#isTrue(truth.other, bits, names)
      default:
        return this.#isTrue(truth.one, bits, names) || this.#isTrue(truth.other, bits, names)
    }
  }

  #value(value: BitValue, bits: readonly number[]): number {
    if (value.kind === 'bit') return bits[this.#bit(value.bit)] as number
    if (value.kind === 'constant') return value.value
    if (value.kind === 'not') return 1 - this.#value(value.of, bits)
    const [one, other] = [this.#value(value.one, bits), this.#value(value.other, bits)]
    return value.kind === '^' ? one ^ other : value.kind === '&' ? one & other : one | other
  }

  #register(name: string, bits: readonly number[]): number {
    const from = this.#offsets.get(name) as number
    const width = new Map(this.#program.registers).get(name) as number
    return bits.slice(from, from + width).reduce((sum, bit, place) => sum + bit * 2 ** place, 0)
  }

  #bit({ register, index }: { register: string; index: number }): number {
    return (this.#offsets.get(register) as number) + index
  }

  #map(states: States, change: (rho: Float64Array) => Float64Array): States {
    return new Map([...states].map(([key, { bits, rho }]) => [key, { bits, rho: change(rho) }]))
  }

  #split(states: States, change: (bits: number[]) => void): States {
    const done: States = new Map()
    for (const { bits, rho } of states.values()) {
      const changed = [...bits]
      change(changed)
      add(done, changed, rho)
    }
    return done
  }

  #measure(qubit: number, bit: number | undefined, states: States): States {
    const error = this.#program.noise?.readout ?? [0, 0]
    const ways = [0, 1].flatMap((outcome) =>
      [0, 1].map((read) => {
        const wrong = error[outcome] as number
        return { outcome, read, share: read === outcome ? 1 - wrong : wrong }
      }),
    )
    const done: States = new Map()
    for (const { bits, rho } of states.values()) {
      for (const { outcome, read, share } of ways) {
        const part = Math.sqrt(share)
        const projected = this.#sum(rho, [qubit], [[part * (1 - outcome), 0, 0, 0, 0, 0, part * outcome, 0]])
        if (this.#trace(projected) < LEAST_WEIGHT) continue
        add(done, bit === undefined ? bits : bits.with(bit, read), projected)
      }
    }
    return done
  }

  #gate(
    { gate, angle, modifiers }: Statement & { kind: 'gate' },
    places: number[],
    states: States,
    names: Names,
  ): States {
    const [, own, targets] = GATES[gate] as readonly [number, number, number]
    let matrix = matrixOf(gate, angleOf(angle, names))
    const values: number[] = []
    // The innermost modifier acts first.
    for (const modifier of modifiers.toReversed()) {
      if (modifier === 'ctrl' || modifier === 'negctrl') values.unshift(modifier === 'ctrl' ? 1 : 0)
      else matrix = modified(matrix, modifier)
    }
    values.push(...new Array<number>(own).fill(1))
    const controls = places.slice(0, values.length)
    const whole = controlled(matrix, targets, values)
    const qubits = [...places.slice(values.length), ...controls]
    const channels = this.#program.noise ? channelsAfter(gate, places, this.#program.noise) : []
    return this.#map(states, (rho) =>
      channels.reduce(
        (sum, each) => this.#sum(sum, each.qubits, each.kraus),
        this.#sum(rho, qubits, [whole]),
      ),
    )
  }

  /** Σ K ρ K†. */
  #sum(rho: Float64Array, qubits: readonly number[], kraus: readonly Matrix[]): Float64Array {
    const total = new Float64Array(rho.length)
    const columns = qubits.map((qubit) => qubit + this.#size)
    for (const matrix of kraus) {
      const half = applied(matrix, rho, qubits)
      const conjugate = matrix.map((part, at) => (at % 2 === 0 ? part : -part))
      const whole = applied(conjugate, half, columns)
      for (let at = 0; at < total.length; at++) (total[at] as number) += whole[at] as number
    }
    return total
  }
}

function add(states: States, bits: number[], rho: Float64Array): void {
  const key = bits.join('')
  const known = states.get(key)
  states.set(key, { bits, rho: known ? known.rho.map((part, at) => part + (rho[at] as number)) : rho })
}

function union(one: States, other: States): States {
  for (const { bits, rho } of other.values()) add(one, bits, rho)
  return one
}

function angleOf(angle: Angle | undefined, names: Names): number {
  if (typeof angle !== 'object') return angle ?? 0
  return angle.factor * (names[angle.input] as number)
}
