import type { Matrix, Op, UnitaryOp } from '../../../qasm/index.ts'
import { NEGLIGIBLE } from './one-qubit.ts'

/** A sum modulo 2 of symbols, by its number; 0 is the constant 0. */
type Value = number

/** The constant 1, as a symbol. */
const ONE = 0
/** Longer sums become symbols of their own, which forgets what is known of them. */
const MAX_SYMBOLS = 48

/**
 * What the basis states of qubits are along each path of a circuit, as sums modulo 2 of symbols: a gate that
 * permutes basis states changes sums, a product of values is a symbol, and so is what any other gate leaves.
 * Phases of basis states change no value: two qubits with the same value have it on every path.
 */
export class BasisValues {
  readonly #values = new Map<number, Value>()
  readonly #sums: (readonly number[])[] = [[], [ONE]]
  readonly #numbers = new Map<string, Value>([
    ['', 0],
    [`${ONE}`, 1],
  ])
  readonly #products = new Map<string, number>()
  #symbols = 1

  /** The value of a qubit, which is 0 at the start. */
  of(qubit: number): Value {
    return this.#values.get(qubit) ?? 0
  }

  /** For each control, whether it is met, as a value. */
  met({ controls, controlValues }: Pick<UnitaryOp, 'controls' | 'controlValues'>): Value[] {
    return controls.map((qubit, index) => {
      const isOne = (Math.floor(controlValues / 2 ** index) & 1) === 1
      return isOne ? this.of(qubit) : this.#sum(this.of(qubit), 1)
    })
  }

  /** Follows the values through an operation. */
  apply(op: Op): void {
    if (op.kind === 'reset') this.#values.set(op.qubit, 0)
    if (op.kind !== 'unitary' || isDiagonal(op.matrix)) return
    const [target = 0, other] = op.targets
    if (other === undefined && isFlip(op.matrix)) {
      this.#values.set(target, this.after(op))
    } else if (other !== undefined && op.controls.length === 0 && isExchange(op.matrix)) {
      const kept = this.of(target)
      this.#values.set(target, this.of(other)).set(other, kept)
    } else {
      for (const qubit of op.targets) this.#values.set(qubit, this.#valueOf([this.#symbols++]))
    }
  }

  /** The value of the target of a gate that flips it where its controls are met, after that gate. */
  after(op: UnitaryOp): Value {
    return this.#sum(this.of(op.targets[0] ?? 0), this.#product(this.met(op)))
  }

  #sum(one: Value, other: Value): Value {
    const [a, b] = [this.#sums[one] ?? [], this.#sums[other] ?? []]
    const left = a.filter((symbol) => !b.includes(symbol))
    const right = b.filter((symbol) => !a.includes(symbol))
    return this.#valueOf([...left, ...right].sort((x, y) => x - y))
  }

  #product(factors: readonly Value[]): Value {
    const different = [...new Set(factors)].filter((value) => value !== 1).sort((x, y) => x - y)
    if (different.includes(0)) return 0
    const [first = 1, ...others] = different
    if (others.length === 0) return first
    const key = different.join(' ')
    const symbol = this.#products.get(key) ?? this.#symbols++
    this.#products.set(key, symbol)
    return this.#valueOf([symbol])
  }

  #valueOf(symbols: readonly number[]): Value {
    const kept = symbols.length > MAX_SYMBOLS ? [this.#symbols++] : symbols
    const key = kept.join(' ')
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#sums.length)
    return this.#sums.push(kept) - 1
  }
}

/** Whether a matrix multiplies basis states by phases only. */
function isDiagonal(matrix: Matrix): boolean {
  const size = Math.sqrt(matrix.length / 2)
  return matrix.every((value, at) => Math.floor(at / 2) % (size + 1) === 0 || Math.abs(value) < NEGLIGIBLE)
}

/** Whether a 2 × 2 matrix exchanges both basis states, up to phases. */
function isFlip(matrix: Matrix): boolean {
  return [0, 1, 6, 7].every((at) => Math.abs(matrix[at] ?? 0) < NEGLIGIBLE)
}

/** Whether a 4 × 4 matrix exchanges two qubits, up to phases. */
function isExchange(matrix: Matrix): boolean {
  return matrix.every(
    (value, at) => [0, 6, 9, 15].includes(Math.floor(at / 2)) || Math.abs(value) < NEGLIGIBLE,
  )
}
