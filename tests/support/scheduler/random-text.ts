import type { DecouplingSequence } from '../../../src/devices/compiler/schedule/decouple.ts'
import { createRng } from '../../../src/simulator/index.ts'

/**
 * A random program of one to five qubits with gates, delays of up to 0.9 µs, barriers and measurements, also
 * early ones.
 */
export function randomText(seed: number): string {
  const rng = createRng(seed)
  const pick = (count: number) => Math.floor(rng.next() * count)
  const angle = () => (7 * rng.next() - 3.5).toFixed(6)
  const qubits = 1 + pick(5)
  const lines = [`OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit[${qubits}] c;`]
  for (let gate = 0; gate < 2 + pick(12); gate++) {
    const one = pick(qubits)
    const other = (one + 1 + pick(Math.max(1, qubits - 1))) % qubits
    const kind = pick(10)
    if (kind < 4) lines.push(`U(${angle()}, ${angle()}, ${angle()}) q[${one}];`)
    else if (kind < 7 && one !== other) lines.push(`cx q[${one}], q[${other}];`)
    else if (kind === 7) lines.push(`delay[${10 + 10 * pick(90)}ns] q[${one}];`)
    else if (kind === 8) lines.push('barrier q;')
    else if (pick(4) === 0) lines.push(`c[${one}] = measure q[${one}];`)
  }
  return [...lines, 'c = measure q;'].join('\n')
}

/** What qubits that wait play in the program of a seed: nothing in a third of them. */
export function decouplingOf(seed: number): DecouplingSequence | undefined {
  return ([undefined, 'XX', 'XY4'] as const)[seed % 3]
}
