/**
 * Compiles circuits for four chips and compares the number of CZ and the duration with the median of five
 * seeds of Qiskit's `transpile` at level 3 on the same coupling:
 * `bun run bench/compiler/qiskit.ts [--random N] [--seed N] [--others] [--reference FILE]`. The seeds of the
 * random circuits are drawn at each run and printed; `--reference` keeps what Qiskit made in a file. Prints
 * the processor time of our compiler, too. Exits with 1 when a goal is missed.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type NativeOp, toNative } from '../../src/devices/compiler/decompose/native.ts'
import { place, stepsOf } from '../../src/devices/compiler/levels.ts'
import type { Coupling } from '../../src/devices/compiler/route/coupling.ts'
import { lowerProgram, type Op, parseProgram } from '../../src/qasm/index.ts'
import { grid, line } from '../../tests/devices/compiler/support/couplings.ts'
import { outcomeProbabilities, totalVariation } from '../../tests/devices/compiler/support/exact.ts'
import { openPython } from '../../tests/support/python/python.ts'
import { startPython } from '../../tests/support/python/python-process.ts'
import { printHead, printRow } from '../support/output.ts'
import { familyPrograms, type NamedCircuit, otherPrograms, randomProgram } from './qiskit-circuits.ts'

const { values: flags } = parseArgs({
  options: {
    random: { type: 'string', default: '8' },
    seed: { type: 'string' },
    others: { type: 'boolean', default: false },
    reference: { type: 'string' },
  },
})
const QISKIT_SEEDS = [42, 43, 44, 45, 46]
const LEVELS = [1, 2] as const
const MAX_VARIATION = 1e-9
/** Exact distributions are compared up to this number of qubits of the chip that are in use. */
const MAX_EXACT_QUBITS = 16
const PULSE_NS = 20
const CZ_NS = 40

// 27 qubits in heavy hexagons, as on the chips that were built so.
const HEAVY_HEX = `0-1 1-2 1-4 2-3 3-5 4-7 5-8 6-7 7-10 8-9 8-11 10-12 11-14 12-13 12-15 13-14 14-16 15-18 16-19
  17-18 18-21 19-20 19-22 21-23 22-25 23-24 24-25 25-26`
const CHIPS: Readonly<Record<string, Coupling>> = {
  'line 5': line(5),
  'grid 9': grid(3, 3),
  'grid 16': grid(4, 4),
  'heavy-hex 27': {
    qubits: 27,
    edges: HEAVY_HEX.split(/\s+/).map((edge) => {
      const [one = 0, other = 0] = edge.split('-').map(Number)
      return [one, other] as const
    }),
  },
}

type Theirs = [name: string, angles: number[], qubits: number[]][]

interface Timed {
  qubits: readonly number[]
  ns: number
}

interface Figures {
  cz: number
  ns: number
}

/** One circuit on one chip. */
interface Row {
  chip: string
  circuit: NamedCircuit
  theirs: Figures
  /** By level. */
  ours: Record<(typeof LEVELS)[number], Figures>
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

const figuresOf = (timed: readonly Timed[]): Figures => ({
  cz: timed.filter(({ qubits }) => qubits.length === 2).length,
  ns: durationOf(timed),
})
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

const ratio = (one: number, other: number) =>
  other === 0 ? (one === 0 ? 1 : Number.POSITIVE_INFINITY) : one / other
const sorted = (list: readonly number[]) => [...list].sort((a, b) => a - b)
const medianOf = (list: readonly number[]) => sorted(list)[Math.floor(list.length / 2)] ?? Number.NaN
const meanOf = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length

const interpreter = await openPython()
if (interpreter === undefined) throw new Error('Qiskit cannot be installed')
await using qiskit = startPython(interpreter, join(import.meta.dir, 'qiskit_optimized.py'))
const version = await qiskit.ask<string>({ ask: 'version' })
const known: Record<string, Figures> =
  flags.reference && existsSync(flags.reference) ? await Bun.file(flags.reference).json() : {}

/** The medians of what Qiskit makes; undefined for a program that it does not read. */
async function reference(program: string, edges: Coupling['edges']): Promise<Figures | undefined> {
  const ask = { ask: 'compiled', program, edges, level: 3, seeds: QISKIT_SEEDS }
  const key = Bun.hash(version + JSON.stringify(ask)).toString(36)
  if (known[key]) return known[key]
  const made = await qiskit.ask<Theirs[]>(ask).catch((error: Error) => console.log(error.message))
  if (!made) return undefined
  const found = made.map((gates) => figuresOf(theirs(gates)))
  const figures = { cz: medianOf(found.map(({ cz }) => cz)), ns: medianOf(found.map(({ ns }) => ns)) }
  known[key] = figures
  if (flags.reference) await Bun.write(flags.reference, JSON.stringify(known))
  return figures
}

let variation = 0
const cpuMs = { 1: 0, 2: 0 }

function compiled(ops: readonly Op[], qubits: number, coupling: Coupling, level: 1 | 2): Figures {
  const before = process.cpuUsage()
  const steps = stepsOf(ops, level)
  const { steps: placed } = place({ steps, qubits, fixed: new Map(), coupling }, level)
  const native = toNative(placed)
  const { user, system } = process.cpuUsage(before)
  cpuMs[level] += (user + system) / 1_000
  const used = new Set(native.flatMap((op) => ('qubits' in op ? op.qubits : [op.qubit])))
  if (used.size <= MAX_EXACT_QUBITS) {
    const found = totalVariation(outcomeProbabilities(ops), outcomeProbabilities(native))
    variation = Math.max(variation, found)
  }
  return figuresOf(ours(native))
}

const first = Number(flags.seed ?? Math.floor(Math.random() * 1e9))
const last = first + Number(flags.random) - 1
console.log(`${version}, level 3, seeds ${QISKIT_SEEDS.join(', ')}; random circuits ${first} to ${last}`)
const rows: Row[] = []
for (const [chip, coupling] of Object.entries(CHIPS)) {
  const random = Array.from({ length: Number(flags.random) }, (_, index) =>
    randomProgram(first + index, Math.min(12, coupling.qubits)),
  )
  const others = flags.others ? otherPrograms(Math.min(12, coupling.qubits)) : []
  for (const circuit of [...familyPrograms(coupling.qubits), ...random, ...others]) {
    const { ops, qubits } = lowerProgram(parseProgram(circuit.program), [])
    if (!ops) throw new Error(`${circuit.name} has classical control`)
    const figures = (level: 1 | 2) => compiled(ops, qubits, coupling, level)
    const theirs = await reference(circuit.program, coupling.edges)
    if (theirs) rows.push({ chip, circuit, theirs, ours: { 1: figures(1), 2: figures(2) } })
  }
}

printHead(['of', 'circuits', 'CZ', 'largest', 'duration', 'CZ, level 2', 'largest', 'duration'])
const byFamily = Map.groupBy(rows, ({ circuit }): string => circuit.family)
const byChip = Map.groupBy(rows, ({ chip }) => chip)
for (const [group, list] of [...byFamily, ...byChip]) {
  const cells = LEVELS.flatMap((level) => {
    const cz = list.map((row) => ratio(row.ours[level].cz, row.theirs.cz))
    const ns = list.map((row) => ratio(row.ours[level].ns, row.theirs.ns))
    return [meanOf(cz), Math.max(...cz), meanOf(ns)].map((value) => value.toFixed(2))
  })
  printRow([group, String(list.length), ...cells])
}

const judged = rows.filter(({ circuit }) => circuit.family !== 'other')
const cz = judged.map((row) => ratio(row.ours[1].cz, row.theirs.cz))
const ns = judged.map((row) => ratio(row.ours[1].ns, row.theirs.ns))
const adders = judged
  .filter(({ circuit }) => circuit.family === 'adder')
  .map((row) => ratio(row.ours[2].cz, row.theirs.cz))
const goals: [goal: string, value: number, most: number][] = [
  ['mean of CZ at level 1', meanOf(cz), 0.75],
  ['CZ of 95 % at level 1', sorted(cz)[Math.ceil(0.95 * cz.length) - 1] ?? Number.NaN, 1.03],
  ['largest of CZ at level 1', Math.max(...cz), 1.1],
  ['median of CZ of adders at level 2', medianOf(adders), 1],
  ['largest of CZ of adders at level 2', Math.max(...adders), 1.05],
  ['mean of duration at level 1', meanOf(ns), 1],
  ['variation of distributions', variation, MAX_VARIATION],
]
console.log(
  `${judged.length} pairs; processor time ${cpuMs[1].toFixed(0)} ms at level 1, ${cpuMs[2].toFixed(0)} ms at level 2`,
)
for (const { chip, circuit, theirs, ours } of rows) {
  if (ratio(ours[1].cz, theirs.cz) > 1.03 || ratio(ours[2].cz, theirs.cz) > 1.03)
    console.log(`  ${circuit.name} on ${chip}: ${ours[1].cz} CZ, level 2 ${ours[2].cz}, Qiskit ${theirs.cz}`)
}
for (const [goal, value, most] of goals) {
  console.log(`${value <= most ? 'met' : 'MISSED'}: ${goal} ${value.toPrecision(3)} (goal at most ${most})`)
  if (value > most) process.exitCode = 1
}
