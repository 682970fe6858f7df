import { createRng } from '../../../src/simulator/index.ts'

/** A random program of one to five qubits with gates, delays, barriers and measurements, also early ones. */
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
    else if (kind === 7) lines.push(`delay[${1 + pick(90)}ns] q[${one}];`)
    else if (kind === 8) lines.push('barrier q;')
    else if (pick(4) === 0) lines.push(`c[${one}] = measure q[${one}];`)
  }
  return [...lines, 'c = measure q;'].join('\n')
}
