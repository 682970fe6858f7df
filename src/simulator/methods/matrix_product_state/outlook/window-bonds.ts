import type { StateOp } from '../../../reduction/reduce-circuit.ts'
import { type ChainSettings, TensorChain } from '../tensor-chain.ts'
import { followSwaps, type NamedStep } from './follow-swaps.ts'

/** Qubits of a window: bonds of at most 16, with which a gate takes tenths of a millisecond. */
const WINDOW_QUBITS = 8
/** Bonds have shrunk below this share of what they were: exchanges of sites alone change them a little. */
const SHRUNK = 0.75

/** What the gates of a window make of its bonds. */
interface Course {
  /** Steps of the circuit that act in the window, ascending. */
  steps: number[]
  /** Sum of the bonds after each of them. */
  sums: number[]
}

/**
 * How bonds change in small parts of a circuit. Gates within groups of a few qubits, which interact most, are
 * computed exactly, without those that leave the group: if the circuit undoes itself, as a computation and
 * its inverse do, so do these parts.
 */
export class WindowBonds {
  readonly #courses: Course[]
  /** Index of the last step that is not unitary: an outcome may shrink all bonds. */
  readonly #lastOutcome: number

  /** Follows the windows of a circuit to its end, along with the qubits that swaps exchange. */
  constructor(ops: readonly StateOp[], settings: ChainSettings) {
    this.#lastOutcome = ops.findLastIndex(({ kind }) => kind === 'measure' || kind === 'reset')
    const steps = followSwaps(ops)
    this.#courses = windowsOf(steps)
      .map((qubits) => courseOf(qubits, steps, settings))
      .filter(({ sums }) => sums.some((sum) => sum > WINDOW_QUBITS))
  }

  /** Whether bonds may shrink after a step; also when the windows show no entanglement to compare. */
  mayShrinkAfter(step: number): boolean {
    if (step < this.#lastOutcome || this.#courses.length === 0) return true
    return this.#courses.some(({ steps, sums }) => {
      let largest = 0
      return sums.some((sum, index) => {
        const isLast = (steps[index + 1] ?? Number.POSITIVE_INFINITY) > step
        if (!isLast) return false
        largest = Math.max(largest, sum)
        return sum < SHRUNK * largest
      })
    })
  }
}

/** Divides qubits into groups; each takes in the qubit with most gates to its members. */
function windowsOf(steps: readonly NamedStep[]): number[][] {
  const gates = countGates(steps)
  const free = new Set([...gates.keys()].sort((a, b) => a - b))
  const windows: number[][] = []
  for (const first of free) {
    const window: number[] = []
    const links = new Map<number, number>([[first, 0]])
    while (window.length < WINDOW_QUBITS && links.size > 0) {
      const [next] = [...links].reduce((best, each) => (each[1] > best[1] ? each : best))
      window.push(next)
      links.delete(next)
      free.delete(next)
      const partners = [...(gates.get(next) ?? [])].filter(([other]) => free.has(other))
      for (const [other, count] of partners) links.set(other, (links.get(other) ?? 0) + count)
    }
    windows.push(window)
  }
  return windows
}

/** Number of gates of each qubit with each other. */
function countGates(steps: readonly NamedStep[]): Map<number, Map<number, number>> {
  const gates = new Map<number, Map<number, number>>()
  for (const { qubits } of steps) {
    for (const one of qubits) {
      const partners = gates.get(one) ?? new Map<number, number>()
      for (const other of qubits) if (other !== one) partners.set(other, (partners.get(other) ?? 0) + 1)
      gates.set(one, partners)
    }
  }
  return gates
}

function courseOf(window: readonly number[], steps: readonly NamedStep[], settings: ChainSettings): Course {
  const members = new Set(window)
  const chain = new TensorChain(
    [...window].sort((a, b) => a - b),
    settings,
  )
  const course: Course = { steps: [], sums: [] }
  for (const { index, operator, qubits } of steps) {
    if (!qubits.every((qubit) => members.has(qubit))) continue
    chain.apply(operator)
    if (qubits.length < 2) continue
    course.steps.push(index)
    let sum = 0
    for (let site = 1; site < chain.sites; site++) sum += chain.bondBefore(site)
    course.sums.push(sum)
  }
  return course
}
