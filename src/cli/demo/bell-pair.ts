/** A Bell pair of two qubits. */
export const BELL = `OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q;
bit[2] c;
h q[0];
cx q[0], q[1];
c = measure q;
`
export const SHOTS = 1024
const BAR_LENGTH = 40

/** A line for each outcome: its bits, its count, and a bar. */
export function countLines(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([bits, count]) => {
      const bar = '█'.repeat(Math.round((count / SHOTS) * BAR_LENGTH))
      return `  ${bits}  ${String(count).padStart(5)}  ${bar}`
    })
}
