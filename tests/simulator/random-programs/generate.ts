import {
  type Angle,
  type Bit,
  type BitValue,
  GATES,
  type Modifier,
  type NoiseSpec,
  type Operand,
  type RandomProgram,
  type Statement,
  type Truth,
} from './program.ts'

/** Numbers from 0 to 1 (mulberry32), independent of the generator of the simulator. */
export function numbersOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const PAULIS = ['x', 'y', 'z']
const CLIFFORD = ['x', 'y', 'z', 'h', 'h', 's', 'sdg', 'sx', 'id', 'cx', 'cx', 'cy', 'cz', 'swap']
const OTHERS = ['t', 'tdg', 'rx', 'ry', 'rz', 'p', 'ch', 'ccx', 'pair']

/** A program that its seed determines. */
export function randomProgram(seed: number): RandomProgram {
  return new Generator(seed).program()
}

class Generator {
  readonly #seed: number
  readonly #next: () => number
  /** Qubits that steps may use, by index in the register. */
  readonly #touched: number[]
  /** Those that any step may change, and those that only Pauli operators of branches do. */
  readonly #loud: number[]
  readonly #quiet: number[]
  readonly #canLoop: boolean
  readonly #declared: number
  readonly #registers: [string, number][]
  readonly #gates: string[]
  readonly #noise: NoiseSpec | undefined
  readonly #hasInputs: boolean
  readonly #names: string[] = []
  #loops = 0

  constructor(seed: number) {
    this.#seed = seed
    this.#next = numbersOf(seed)
    const qubits = this.#is(0.04) ? this.#pick([6, 7, 8]) : this.#pick([1, 2, 2, 3, 3, 3, 4, 4, 5])
    this.#declared = qubits + this.#pick([0, 0, 1, 3, 20, 60])
    const all = Array.from({ length: this.#declared }, (_, qubit) => ({ qubit, key: this.#next() }))
    const chosen = all.sort((one, other) => one.key - other.key).slice(0, qubits)
    this.#touched = chosen.map(({ qubit }) => qubit).sort((one, other) => one - other)
    const width = () => 1 + this.#below(qubits > 5 ? 1 : qubits > 3 ? 2 : 3)
    this.#registers = [
      ['c', width()],
      ['d', width()],
    ]
    if (qubits < 3 && this.#is(0.3)) this.#registers.push(['e', 7 + this.#below(2)])
    // The reference follows each state of the bits through every round of a loop.
    this.#canLoop = 2 * qubits + this.#registers.reduce((sum, [, each]) => sum + each, 0) < 12
    const quiet = qubits > 1 && this.#is(0.5) ? this.#pick(this.#touched) : undefined
    this.#quiet = quiet === undefined ? [] : [quiet]
    this.#loud = this.#touched.filter((qubit) => qubit !== quiet)
    this.#gates = this.#is(0.6) ? CLIFFORD : [...CLIFFORD, ...OTHERS, ...OTHERS]
    this.#noise = this.#is(0.3) ? this.#noiseSpec() : undefined
    // Noise belongs to the gates of the tables by their names.
    if (this.#noise) this.#gates = this.#gates.filter((gate) => gate !== 'pair' && gate !== 'id')
    this.#hasInputs = this.#is(0.25)
  }

  program(): RandomProgram {
    const subroutines = ['f', 'g'].map((name) => ({ name, body: this.#subroutine() }))
    const length = this.#touched.length > 5 ? 4 : 4 + this.#below(9)
    const statements = [...this.#coins(), ...Array.from({ length }, () => this.#statement(2)).flat()]
    if (this.#is(0.7)) statements.push(...this.#readAll())
    const sets = this.#hasInputs ? 1 + this.#below(3) : 0
    return {
      seed: this.#seed,
      declared: this.#declared,
      touched: this.#touched,
      registers: this.#registers,
      inputs: Array.from({ length: sets }, () => ({ real: this.#angle(), whole: this.#below(3) })),
      subroutines: this.#touched.length > 1 ? subroutines : [],
      statements,
      noise: this.#noise,
    }
  }

  #below(n: number): number {
    return Math.floor(this.#next() * n)
  }

  #is(share: number): boolean {
    return this.#next() < share
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T
  }

  /** Rounded, so that text and number agree; a program of Clifford gates has quarter turns only. */
  #angle(): number {
    if (this.#gates.every((gate) => CLIFFORD.includes(gate))) return ((this.#below(9) - 4) * Math.PI) / 2
    return Math.round(1e4 * (this.#next() - 0.5) * 4 * Math.PI) / 1e4
  }

  #noiseSpec(): NoiseSpec {
    const share = () => (this.#is(0.6) ? 0.15 * this.#next() : 0)
    const readout: [number, number] = this.#is(0.5) ? [share(), share()] : [0, 0]
    if (this.#is(0.25)) return { x: 0, z: 0, damping: 0, pair: 0, readout }
    return { x: share(), z: share(), damping: this.#is(0.3) ? share() : 0, pair: share(), readout }
  }

  #bit(): Bit {
    const [register, width] = this.#pick(this.#registers)
    return { register, index: this.#below(width) }
  }

  #bitValue(depth = 2): BitValue {
    if (depth === 0 || this.#is(0.5)) return { kind: 'bit', bit: this.#bit() }
    // Under an operator the number would be an int.
    if (depth === 2 && this.#is(0.1)) return { kind: 'constant', value: this.#pick([0, 1]) }
    if (this.#is(0.3)) return { kind: 'not', of: this.#bitValue(depth - 1) }
    return {
      kind: this.#pick(['^', '^', '&', '|']),
      one: this.#bitValue(depth - 1),
      other: this.#bitValue(depth - 1),
    }
  }

  #truth(depth = 1): Truth {
    if (depth > 0 && this.#is(0.1)) {
      return { kind: this.#pick(['&&', '||']), one: this.#truth(0), other: this.#truth(0) }
    }
    const loop = this.#names.at(-1)
    if (loop && this.#is(0.15)) return { kind: 'number', name: loop, value: this.#below(3) }
    if (this.#hasInputs && this.#is(0.15)) return { kind: 'number', name: 'whole', value: this.#below(3) }
    if (this.#is(0.25)) {
      const [register, width] = this.#pick(this.#registers)
      return {
        kind: 'compare',
        register,
        relation: this.#pick(['==', '!=', '<', '>']),
        value: this.#below(2 ** width),
      }
    }
    return { kind: this.#pick(['isOne', 'isOne', 'isZero']), of: this.#bitValue(this.#below(2)) }
  }

  #operands(count: number, from: readonly Operand[]): Operand[] {
    const all = from.map((qubit) => ({ qubit, key: this.#next() }))
    return all
      .sort((one, other) => one.key - other.key)
      .slice(0, count)
      .map(({ qubit }) => qubit)
  }

  #gate(from: readonly Operand[], gates: readonly string[] = this.#gates): Statement {
    const fitting = gates.filter((gate) => widthOf(gate) <= from.length)
    const gate = this.#pick(fitting.length > 0 ? fitting : ['x'])
    const modifiers: Modifier[] = []
    while (!this.#noise && this.#is(0.12)) {
      const free = from.length - widthOf(gate) - modifiers.filter((each) => each.endsWith('ctrl')).length
      const isControllable = free > 0 && this.#gates.includes('ccx')
      modifiers.push(
        this.#pick([
          'inv',
          'pow(2)',
          'pow(-1)',
          'pow(3)',
          ...(isControllable ? (['ctrl', 'negctrl', 'ctrl'] as const) : []),
        ]),
      )
    }
    const width = widthOf(gate) + modifiers.filter((each) => each.endsWith('ctrl')).length
    const hasAngle = (GATES[gate] as readonly number[])[0] === 1
    // A subroutine does not see the inputs.
    const isInput = this.#hasInputs && !from.includes('b') && this.#is(0.5)
    const angle: Angle = isInput ? { input: 'real', factor: this.#pick([1, -2]) } : this.#angle()
    return { kind: 'gate', gate, modifiers, qubits: this.#operands(width, from), ...(hasAngle && { angle }) }
  }

  #statement(depth: number): Statement[] {
    const qubits = this.#loud
    const qubit = () => this.#pick(qubits)
    const choice = this.#next()
    if (choice < 0.3) return [this.#gate(qubits)]
    if (choice < 0.36) return [this.#gate(qubits, ['h', 'sx']), this.#measure(this.#pick(this.#touched))]
    if (choice < 0.46) return [this.#measure(qubit())]
    if (choice < 0.5) return [{ kind: 'reset', qubit: qubit() }]
    if (choice < 0.55) return [{ kind: 'assign', bit: this.#bit(), value: this.#bitValue() }]
    if (choice < 0.57) return [{ kind: 'barrier', qubits: this.#operands(2, qubits) }]
    if (depth === 0) return [this.#gate(qubits)]
    if (choice < 0.82) return [this.#if(depth - 1)]
    if (choice < 0.87) return this.#while(depth - 1)
    if (choice < 0.92) return [this.#for(depth - 1)]
    if (choice < 0.97) return [this.#switch(depth - 1)]
    if (qubits.length < 2) return [this.#gate(qubits)]
    const operands = this.#operands(2, qubits)
    return [
      {
        kind: 'call',
        name: this.#pick(['f', 'g']),
        qubits: operands,
        ...(this.#is(0.8) && { bit: this.#bit() }),
      },
    ]
  }

  #measure(qubit: Operand): Statement {
    return { kind: 'measure', qubit, ...(this.#is(0.93) && { bit: this.#bit() }) }
  }

  /** Random bits to begin with, in most programs. */
  #coins(): Statement[] {
    const qubits = this.#operands(this.#is(0.7) ? 1 + this.#below(2) : 0, this.#loud)
    return qubits.flatMap((qubit) => {
      const bit = this.#bit()
      const truth: Truth = { kind: this.#pick(['isOne', 'isZero']), of: { kind: 'bit', bit } }
      const then = this.#quiet.length > 0 && this.#is(0.5) ? [this.#gate(this.#quiet, PAULIS)] : undefined
      return [
        this.#gate([qubit], ['h']),
        { kind: 'measure', qubit, bit },
        ...(then ? [{ kind: 'if' as const, truth, taken: then, otherwise: undefined }] : []),
      ]
    })
  }

  /** The body of a branch: mostly Pauli operators, which are what fast paths treat differently. */
  #branch(depth: number): Statement[] {
    const choice = this.#next()
    const pauli = () =>
      this.#gate(this.#is(0.4) && this.#quiet.length > 0 ? this.#quiet : this.#touched, PAULIS)
    if (choice < 0.4) return [pauli()]
    if (choice < 0.5) return []
    if (choice < 0.65) return Array.from({ length: 1 + this.#below(3) }, pauli)
    if (choice < 0.8) return [this.#gate(this.#loud), this.#gate(this.#loud)]
    const body = Array.from({ length: 1 + this.#below(3) }, () => this.#statement(depth)).flat()
    if (this.#names.length > 0 && this.#is(0.2)) body.push({ kind: this.#pick(['break', 'continue']) })
    else if (this.#is(0.04)) body.push({ kind: 'end' })
    return body
  }

  #if(depth: number): Statement {
    const truth = this.#truth()
    return {
      kind: 'if',
      truth,
      taken: this.#branch(depth),
      otherwise: this.#is(0.5) ? this.#branch(depth) : undefined,
    }
  }

  /** A loop that each round leaves with a fair share; the bit is measured again at the end of its body. */
  #while(depth: number): Statement[] {
    if (!this.#canLoop || this.#loops++ > 0) return [this.#if(depth)]
    const [bit, qubit] = [this.#bit(), this.#pick(this.#loud)]
    const again: Statement[] = [
      { kind: 'reset', qubit },
      { kind: 'gate', gate: 'h', modifiers: [], qubits: [qubit] },
      { kind: 'measure', qubit, bit },
    ]
    const body = Array.from({ length: this.#below(2) }, () => this.#statement(0)).flat()
    const truth: Truth = { kind: this.#pick(['isOne', 'isZero']), of: { kind: 'bit', bit } }
    return [...again.slice(1), { kind: 'while', truth, body: [...body, ...again] }]
  }

  #for(depth: number): Statement {
    const name = `i${this.#names.length}`
    const from = this.#pick(this.#loud)
    const isRow = this.#loud.includes(from + 1)
    // Over qubits where two are neighbors, or counted.
    if (isRow && this.#is(0.6)) {
      const gate = this.#gate(
        [name],
        this.#gates.filter((each) => widthOf(each) === 1),
      )
      return { kind: 'for', name, from, to: from + 1, body: [gate, this.#measure(name)] }
    }
    this.#names.push(name)
    const body = Array.from({ length: 1 + this.#below(2) }, () => this.#statement(depth)).flat()
    this.#names.pop()
    return { kind: 'for', name, from: 0, to: this.#below(3), body }
  }

  #switch(depth: number): Statement {
    const names = this.#names.splice(0)
    const [register, width] = this.#pick(this.#registers)
    const values = this.#operands(
      3,
      Array.from({ length: 2 ** width }, (_, value) => value),
    ) as number[]
    const node: Statement = {
      kind: 'switch',
      register,
      cases: [
        { values: values.slice(0, 1), body: this.#branch(depth) },
        ...(values.length > 1 ? [{ values: values.slice(1), body: this.#branch(depth) }] : []),
      ],
      otherwise: this.#branch(depth),
    }
    this.#names.push(...names)
    return node
  }

  #subroutine(): Statement[] {
    const r: Bit = { register: 'r', index: 0 }
    const truth: Truth = { kind: this.#pick(['isOne', 'isZero']), of: { kind: 'bit', bit: r } }
    const then = [this.#gate(['b'], PAULIS), ...(this.#is(0.3) ? [this.#gate(['a', 'b'])] : [])]
    return [
      this.#gate(['a', 'b']),
      this.#gate(['a'], ['h', 'sx', 'x']),
      { kind: 'measure', qubit: 'a', bit: r },
      { kind: 'if', truth, taken: then, otherwise: undefined },
    ]
  }

  #readAll(): Statement[] {
    const bits = this.#registers.flatMap(([register, width]) =>
      Array.from({ length: width }, (_, index) => ({ register, index })),
    )
    const qubits = this.#operands(bits.length, this.#touched)
    return qubits.map((qubit, at) => ({ kind: 'measure', qubit, bit: bits[at] as Bit }))
  }
}

const widthOf = (gate: string) => {
  const [, controls, targets] = GATES[gate] as readonly [number, number, number]
  return controls + targets
}
