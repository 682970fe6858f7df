/**
 * Times the whole way of a circuit from its text to the programs of the sequencers: random circuits of 5
 * qubits and depth 100 on the chip of the examples, a row, once with gates of neighbors only and once with
 * gates of any two, which are routed. Prints processor time, which other work on the machine hardly changes.
 * Exits with 1 when a median misses the goal.
 */
import { medianOf } from '../../src/base/index.ts'
import { createRng } from '../../src/simulator/index.ts'
import { compileText } from '../../tests/support/scheduler/five-qubits.ts'

const [QUBITS, DEPTH, CIRCUITS] = [5, 100, 160]
const MAX_MS = 20

/** A layer has a rotation or half of a CX for every qubit. */
function circuitOf(seed: number, reach: number): string {
  const rng = createRng(seed)
  const pick = (count: number) => Math.floor(rng.next() * count)
  const lines = ['OPENQASM 3.0; include "stdgates.inc";', `qubit[${QUBITS}] q; bit[${QUBITS}] c;`]
  for (let layer = 0; layer < DEPTH; layer++) {
    const free = Array.from({ length: QUBITS }, (_, qubit) => qubit)
    for (let qubit = free.shift(); qubit !== undefined; qubit = free.shift()) {
      const one = qubit
      const others = free.filter((other) => other - one <= reach)
      const other = others[pick(others.length)]
      if (other === undefined || pick(2) === 0) {
        lines.push(`U(${rng.next()}, ${rng.next()}, ${rng.next()}) q[${one}];`)
      } else {
        lines.push(`cx q[${one}], q[${other}];`)
        free.splice(free.indexOf(other), 1)
      }
    }
  }
  return [...lines, 'c = measure q;'].join('\n')
}

let isMet = true
for (const [name, reach] of [
  ['neighbors only', 1],
  ['any two qubits', QUBITS],
] as const) {
  const times: number[] = []
  const counts = { swaps: 0, cz: 0, instructions: 0 }
  for (let seed = 0; seed < CIRCUITS; seed++) {
    const text = circuitOf(seed, reach)
    const before = process.cpuUsage()
    const { circuit, runs } = compileText(text, 1_024)
    const { user, system } = process.cpuUsage(before)
    // The first half warms up: a driver compiles many circuits.
    if (seed >= CIRCUITS / 2) times.push((user + system) / 1_000)
    counts.swaps += circuit.routing.swaps / CIRCUITS
    counts.cz += circuit.gates.cz / CIRCUITS
    for (const { sequence } of runs.flatMap(({ ports }) => [...ports.values()])) {
      counts.instructions += sequence.program.split('\n').length / CIRCUITS
    }
  }
  const ms = medianOf(times)
  isMet &&= ms <= MAX_MS
  const { swaps, cz, instructions } = counts
  const of = `${swaps.toFixed(0)} SWAPs, ${cz.toFixed(0)} CZ, ${instructions.toFixed(0)} instructions`
  console.log(`${name}: ${ms.toFixed(1)} ms (at most ${Math.max(...times).toFixed(1)}); ${of}`)
}
if (!isMet) process.exitCode = 1
