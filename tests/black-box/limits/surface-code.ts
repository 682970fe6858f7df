/**
 * The memory experiment of the rotated surface code with `distance` data qubits a side, as a program in
 * OpenQASM 3: as many rounds of syndrome measurements, then all data qubits are measured.
 * Source of the layout and of the order of the gates: Tomita and Svore, Phys. Rev. A 90, 062320 (2014).
 */
export function surfaceCode(distance: number): { program: string; bits: number } {
  const checks = checksOf(distance)
  const data = distance * distance
  const bits = distance * checks.length + data
  const lines = [
    'OPENQASM 3.0; include "stdgates.inc";',
    `qubit[${data}] data; qubit[${checks.length}] check; bit[${bits}] c;`,
  ]
  for (let round = 0; round < distance; round++) {
    checks.forEach(({ kind, qubits }, index) => {
      if (kind === 'x') lines.push(`h check[${index}];`)
      for (const qubit of qubits)
        lines.push(
          kind === 'x' ? `cx check[${index}], data[${qubit}];` : `cx data[${qubit}], check[${index}];`,
        )
      if (kind === 'x') lines.push(`h check[${index}];`)
      lines.push(`c[${round * checks.length + index}] = measure check[${index}]; reset check[${index}];`)
    })
  }
  for (let qubit = 0; qubit < data; qubit++)
    lines.push(`c[${distance * checks.length + qubit}] = measure data[${qubit}];`)
  return { program: lines.join('\n'), bits }
}

/** The stabilizers: one for each square between data qubits, in a chessboard of X and Z, and half squares. */
function checksOf(distance: number): { kind: 'x' | 'z'; qubits: number[] }[] {
  const checks: { kind: 'x' | 'z'; qubits: number[] }[] = []
  for (let row = 0; row <= distance; row++) {
    for (let column = 0; column <= distance; column++) {
      const kind = (row + column) % 2 === 0 ? 'x' : 'z'
      const corners = [
        [row - 1, column - 1],
        [row - 1, column],
        [row, column - 1],
        [row, column],
      ] as const
      const qubits = corners.filter((corner) => corner.every((at) => at >= 0 && at < distance))
      // X at the upper and the lower edge, Z at the left and the right one.
      const isVertical = column === 0 || column === distance
      const isHorizontal = row === 0 || row === distance
      if (qubits.length < 2 || (isHorizontal && kind === 'z') || (isVertical && kind === 'x')) continue
      checks.push({ kind, qubits: qubits.map(([y, x]) => y * distance + x) })
    }
  }
  return checks
}
