const HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n'

/** A Greenberger–Horne–Zeilinger state of `qubits` qubits. */
export function ghz(qubits: number): string {
  const chain = Array.from({ length: qubits - 1 }, (_, at) => `cx q[${at}], q[${at + 1}];\n`).join('')
  return `${HEAD}qubit[${qubits}] q;\nbit[${qubits}] c;\nh q[0];\n${chain}c = measure q;\n`
}

/** A superposition of all states: as many outcomes as shots allow. */
export function uniform(qubits: number): string {
  return `${HEAD}qubit[${qubits}] q;\nbit[${qubits}] c;\nh q;\nc = measure q;\n`
}

/** A rotation by an input, for a sweep. */
export const ROTATION = `${HEAD}input angle theta;\nqubit q;\nbit c;\nrx(theta) q;\nc = measure q;\n`

/** A quantum Fourier transform of `qubits` qubits. */
export function fourier(qubits: number): string {
  const lines: string[] = []
  for (let at = 0; at < qubits; at += 1) {
    lines.push(`h q[${at}];`)
    for (let to = at + 1; to < qubits; to += 1) lines.push(`cp(pi/${2 ** (to - at)}) q[${to}], q[${at}];`)
  }
  return `${HEAD}qubit[${qubits}] q;\nbit[${qubits}] c;\nx q[0];\n${lines.join('\n')}\nc = measure q;\n`
}

/** A loop that exceeds what a device executes. */
export const ENDLESS = `${HEAD}qubit q;\nbit c;\nwhile (true) {\n  x q;\n}\nc = measure q;\n`
