/**
 * Compiles random and named circuits and compares the number of CZ and the duration with those of Qiskit's
 * `transpile` at level 3 on the same coupling: `bun run bench/compiler/qiskit.ts [--random N] [--seed N]`.
 * The seeds of the random circuits are drawn at each run and printed. Exits with 1 when a goal is missed.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { decompose } from '../../src/devices/compiler/decompose/decompose.ts'
import { type NativeOp, toNative } from '../../src/devices/compiler/decompose/native.ts'
import { place } from '../../src/devices/compiler/levels.ts'
import { lowerProgram, parseProgram } from '../../src/qasm/index.ts'
import { COUPLINGS } from '../../tests/devices/compiler/support/couplings.ts'
import { outcomeProbabilities, totalVariation } from '../../tests/devices/compiler/support/exact.ts'
import { openPython } from '../../tests/support/python/python.ts'
import { startPython } from '../../tests/support/python/python-process.ts'
import { type NamedCircuit, namedPrograms, randomProgram } from './qiskit-circuits.ts'

const { values } = parseArgs({
  options: {
    random: { type: 'string', default: '200' },
    seed: { type: 'string' },
    coupling: { type: 'string', default: 'grid' },
  },
})
const QISKIT_SEED = 42
const MAX_VARIATION = 1e-9
/** Exact distributions are compared up to this number of qubits. */
const MAX_EXACT_QUBITS = 12
const PULSE_NS = 20
const CZ_NS = 40

type Theirs = [name: string, angles: number[], qubits: number[]][]

interface Timed {
  qubits: readonly number[]
  ns: number
}

/** Longest time of a sequence of gates on any qubit, ns. */
function durationOf(gates: Iterable<Timed>): number {
  const ends = new Map<number, number>()
  for (const { qubits, ns } of gates) {
    const end = ns + Math.max(...qubits.map((qubit) => ends.get(qubit) ?? 0))
    for (const qubit of qubits) ends.set(qubit, end)
  }
  return Math.max(0, ...ends.values())
}

const ours = (ops: readonly NativeOp[]) =>
  ops.flatMap((op): Timed[] => {
    if (op.kind === 'cz') return [{ qubits: op.qubits, ns: CZ_NS }]
    return op.kind === 'rotate' ? [{ qubits: [op.qubit], ns: PULSE_NS }] : []
  })
const theirs = (gates: Theirs) =>
  gates.flatMap(([name, [theta = 0], qubits]) => {
    if (name === 'cz') return [{ qubits, ns: CZ_NS }]
    return name === 'u' && Math.abs(theta) > 1e-9 ? [{ qubits, ns: PULSE_NS }] : []
  })

interface Row {
  name: string
  cz: number
  theirCz: number
  ns: number
  theirNs: number
}

const ratio = (one: number, other: number) =>
  other === 0 ? (one === 0 ? 1 : Number.POSITIVE_INFINITY) : one / other
const medianOf = (list: readonly number[]) =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN

const interpreter = await openPython()
if (interpreter === undefined) throw new Error('Qiskit cannot be installed')
await using qiskit = startPython(interpreter, join(import.meta.dir, 'qiskit_optimized.py'))
const coupling = COUPLINGS[values.coupling as keyof typeof COUPLINGS]
const first = Number(values.seed ?? Math.floor(Math.random() * 1e9))
const random = Array.from({ length: Number(values.random) }, (_, index) => randomProgram(first + index))
const groups: [string, NamedCircuit[]][] = [
  ['random', random],
  ['named', namedPrograms(coupling.qubits)],
]
console.log(
  `${await qiskit.ask<string>({ ask: 'version' })}, seed ${QISKIT_SEED}, level 3, ${values.coupling} of ${coupling.qubits} qubits; seeds ${first} to ${first + random.length - 1}`,
)
let isMet = true
for (const [group, circuits] of groups) {
  const rows: Record<1 | 2, Row[]> = { 1: [], 2: [] }
  let variation = 0
  for (const { name, qubits, program } of circuits) {
    const ask = { ask: 'compiled', program, edges: coupling.edges, level: 3, seed: QISKIT_SEED }
    const gates = await qiskit.ask<Theirs>(ask).catch((error: Error) => {
      console.log(`  ${name}: refused by Qiskit: ${error.message}`)
      return undefined
    })
    if (!gates) continue
    const theirCz = gates.filter(([gate]) => gate === 'cz').length
    const { ops, qubits: declared } = lowerProgram(parseProgram(program), [])
    if (!ops) throw new Error(`${name} has classical control`)
    for (const level of [1, 2] as const) {
      const { steps } = place({ steps: decompose(ops), qubits: declared, fixed: new Map(), coupling }, level)
      const native = toNative(steps)
      if (qubits <= MAX_EXACT_QUBITS)
        variation = Math.max(
          variation,
          totalVariation(outcomeProbabilities(ops), outcomeProbabilities(native)),
        )
      const cz = native.filter(({ kind }) => kind === 'cz').length
      rows[level].push({
        name,
        cz,
        theirCz,
        ns: durationOf(ours(native)),
        theirNs: durationOf(theirs(gates)),
      })
    }
  }
  for (const level of [1, 2] as const) {
    const gates = rows[level].map((row) => ratio(row.cz, row.theirCz))
    const times = rows[level].map((row) => ratio(row.ns, row.theirNs))
    const worse = rows[level].filter((row) => row.cz > Math.max(1.25 * row.theirCz, row.theirCz + 3))
    console.log(
      `${group}, level ${level}: ${rows[level].length} circuits, CZ ${medianOf(gates).toFixed(3)} (largest ${Math.max(...gates).toFixed(2)}), duration ${medianOf(times).toFixed(3)} (largest ${Math.max(...times).toFixed(2)}), variation ${variation.toExponential(1)}`,
    )
    for (const row of worse)
      console.log(`  ${row.name}: ${row.cz} CZ, Qiskit ${row.theirCz}; ${row.ns} ns, Qiskit ${row.theirNs}`)
    isMet &&=
      medianOf(gates) <= (level === 2 ? 1 : 1.1) && medianOf(times) <= 1.1 && variation <= MAX_VARIATION
    if (level === 2) isMet &&= worse.length === 0
  }
}
if (!isMet) process.exitCode = 1
