import { expect, test } from 'bun:test'
import {
  lowerProgram,
  type OpenSink,
  parseProgram,
  runDynamic,
  runOpen,
  type Sink,
} from '../../../src/qasm/index.ts'
import { chiSquareLimit, runOptions, runProgram } from '../support/run.ts'

const METHODS = ['stabilizer', 'matrix_product_state'] as const

async function countsOf(text: string, method: string, shots: number): Promise<Record<string, number>> {
  const program = parseProgram(`OPENQASM 3.0; include "stdgates.inc"; ${text}`)
  const bound = {
    ...lowerProgram(program, []),
    walk: (sink: Sink) => runDynamic(program, [], sink),
    walkOpen: (sink: OpenSink) => runOpen(program, [], sink),
  }
  return (await runProgram(bound, runOptions({ shots, method }))).counts ?? {}
}

test.each(METHODS)(
  'an outcome that a step closes without dividing the shots decides what follows: %s',
  async (method) => {
    // The first outcome is certain: the gate on its qubit closes it, and all shots go on together.
    const text = 'qubit[2] q; bit m; bit[2] c; m = measure q[0]; x q[0]; if (!m) { x q[1]; } c = measure q;'
    expect(await countsOf(text, method, 50)).toEqual({ '110': 50 })
  },
)

test.each(METHODS)('a qubit that nothing but a conditional Pauli changes is changed: %s', async (method) => {
  // The trial walk that looks for the qubits takes one of the branches.
  const text =
    'qubit[3] q; bit[3] c; h q[0]; c[0] = measure q[0]; if (c[0]) { x q[1]; } else { x q[2]; } c = measure q;'
  expect(Object.keys(await countsOf(text, method, 50)).sort()).toEqual(['011', '100'])
})

/** A Clifford program on 2 to 5 qubits with conditions, measurements and resets, drawn by `seed`. */
function programOf(seed: number): string {
  let state = seed
  const draw = (n: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * n)
  }
  const n = 2 + draw(4)
  const pick = (names: readonly string[]) => names[draw(names.length)]
  const gate = () => {
    const one = draw(n)
    const other = (one + 1 + draw(n - 1)) % n
    if (draw(2) === 0) return `${pick(['h', 's', 'x', 'z', 'sx'])} q[${one}];`
    return `${pick(['cx', 'cz', 'swap'])} q[${one}], q[${other}];`
  }
  const condition = () =>
    pick([`d[${draw(n)}]`, `int[8](d) > ${draw(2 ** n)}`, `d[${draw(n)}] != d[${draw(n)}]`])
  const measure = () => `d[${draw(n)}] = measure q[${draw(n)}];`
  const round = () =>
    [
      ...Array.from({ length: 4 }, gate),
      pick([measure(), measure(), `reset q[${draw(n)}];`]),
      `if (${condition()}) { ${gate()} ${gate()} } else { ${pick([gate(), measure()])} }`,
    ].join(' ')
  return `qubit[${n}] q; bit[${n}] c; bit[${n}] d; ${Array.from({ length: 5 }, round).join(' ')} c = measure q;`
}

test('every method gives programs with feedback the distribution of a state vector', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const text = programOf(seed)
    const expected = await countsOf(text, 'statevector', 1_000)
    for (const method of METHODS) {
      const found = await countsOf(text, method, 1_000)
      // Two samples of the same size; rare results are left out.
      const keys = [...new Set([...Object.keys(found), ...Object.keys(expected)])]
      const pairs = keys
        .map((key) => [found[key] ?? 0, expected[key] ?? 0] as const)
        .filter(([a, b]) => a + b >= 10)
      const value = pairs.reduce((sum, [a, b]) => sum + (a - b) ** 2 / (a + b), 0)
      const limit = chiSquareLimit(Math.max(1, pairs.length))
      expect(value, `${method}: ${text}`).toBeLessThan(limit)
    }
  }
})
