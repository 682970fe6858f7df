import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Below the limit of 10 Mi characters per program. */
const LENGTH = 10_000_000

function repeated(head: string, piece: (index: number) => string): string {
  const pieces = [head]
  let length = head.length
  for (let next = piece(0), index = 1; length + next.length <= LENGTH; next = piece(index++)) {
    pieces.push(next)
    length += next.length
  }
  return pieces.join('')
}

/** The gate calls of the published circuits in the tests, repeated up to `LENGTH`. */
function published(): string {
  const folder = join(import.meta.dir, '../../tests/circuits')
  const calls = readdirSync(folder)
    .filter((file) => file.endsWith('.qasm'))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => /^\s*(h|x|cx|rz|ry|u3|u2|u1|t|tdg|ccx|sx|cz)\b[^/]*\[\d+\];\s*$/.test(line))
  const names = new Set(calls.flatMap((line) => [...line.matchAll(/(\w+)\[/g)].map(([, name]) => name)))
  const registers = [...names].map((name) => `qreg ${name}[100];`).join('\n')
  return repeated(`OPENQASM 2.0;\ninclude "qelib1.inc";\n${registers}\n`, () => `${calls.join('\n')}\n`)
}

function rotations(): string {
  return repeated('OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[20];\n', (index) => {
    const angle = ((index * 0.6180339887) % 3).toFixed(12)
    return `u3(${angle},-${angle},pi/2) q[${index % 20}];\ncx q[${index % 20}],q[${(index + 7) % 20}];\n`
  })
}

function classical(): string {
  const head = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[8] q;\nbit[8] c;\nint[32] n;\n'
  return repeated(
    head,
    (index) =>
      `for int i in [0:3] { n += i * ${index % 9} + (n << 2); if (n > ${index % 50} && i != 2) { rx(n * pi / 4) q[i]; } else { x q[i + 1]; } }\nc[${index % 8}] = measure q[${index % 8}];\nwhile (n > 100) { n -= 7; ctrl @ inv @ s q[0], q[n % 7 + 1]; }\n`,
  )
}

function definitions(): string {
  const head =
    'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[8] q;\ngate g0(a, b) x0, x1 { rx(a) x0; cx x0, x1; rz(b / 2) x1; }\n'
  return repeated(head, (index) => {
    const of = index - (index % 50)
    return `gate g${index + 1}(a, b) x0, x1 {\n  g${of}(a + b, -b / 2) x0, x1;\n  ctrl @ p(a * pi) x1, x0;\n  inv @ pow(2) @ sx x0;\n}\n`
  })
}

/** Programs of about 10 MB, generated on demand. */
export const TEXTS: Record<string, () => string> = {
  'gate calls with numbers (u3, cx)': rotations,
  'gate calls of published circuits': published,
  'loops, branches and arithmetic of version 3': classical,
  'gate definitions that use each other': definitions,
}
