import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { checkProgram, lowerProgram, parseProgram, QasmError, runDynamic } from '../../src/qasm/index.ts'
import { program3 } from './support.ts'

const folder = join(import.meta.dir, '../circuits')
const published = readdirSync(folder)
  .filter((file) => file.endsWith('.qasm'))
  .map((file) => readFileSync(join(folder, file), 'utf8').slice(0, 1500))

const rich = program3(`
const int n = 3;
input float a;
gate g(x1, y1) c, d { rx(x1 / 2) c; ctrl @ p(y1) c, d; inv @ sx d; for int i in [0:2] { h c; } }
def f(qubit[2] v, int[8] k) -> bit { for int i in [0:k] { h v[0]; } return measure v[1]; }
qubit[n] q; bit[n] c; array[int[8], 2, 2] m = {{1, 2}, {3, 4}};
g(a, pi) q[0], q[1];
pow(1 / 2) @ x q[2]; negctrl(2) @ gphase(0.1) q[0], q[1];
c[0] = f(q[0:1], 2);
int total = 0; while (total < 3) { total += 1; if (total == 2) continue; }
switch (total) { case 1, 2 { x q; } default { z q[-1]; } }
let e = q[{0, 2}] ++ q[1:1]; barrier e; delay[10ns] e; reset e[0];
m[0] = m[1]; c = "101"; bit[2] w = c[1:2] ^ "01"; complex z1 = 1 + 2im;
if (c[0] && total > 1) { x q[0]; } else { y q[0]; }
c = measure q;
`)

const words = [
  ...'OPENQASM 3 ; 2.0 ; include "stdgates.inc" "qelib1.inc" qubit bit int [ ] ( ) { } , : = == + - * / ** ^ ++ @ ->'.split(
    ' ',
  ),
  ...'gate def return if else for while switch case default in let ctrl inv pow measure reset barrier box delay'.split(
    ' ',
  ),
  ...'x h cx q c i 0 1 2 -1 3.5 1e9 10ns 2im "01" $0 pi true const input array readonly #dim break end sizeof sin'.split(
    ' ',
  ),
]

/** Runs everything on a text: only a QasmError may come out. */
function survives(text: string): void {
  const limits = { operations: 20_000, iterations: 2000, qubits: 64, bits: 4096, elements: 4096 }
  const report = checkProgram(text, limits)
  for (const { line, column } of report.problems) {
    expect(line).toBeGreaterThan(0)
    expect(column).toBeGreaterThan(0)
  }
  try {
    const program = parseProgram(text, limits)
    expect(report.problems).toEqual([])
    const values = program.inputs.map(() => 1)
    const circuit = lowerProgram(program, values, limits)
    expect(circuit.ops === undefined).toBe(circuit.dynamic)
    let outcome = 0
    const sink = { apply: () => undefined, measure: (): 0 | 1 => (outcome++ % 3 === 0 ? 1 : 0) }
    expect(runDynamic(program, values, sink, limits)).toHaveLength(circuit.clbits)
  } catch (error) {
    if (!(error instanceof QasmError)) throw error
  }
}

describe('any text', () => {
  test('the rich program itself is accepted', () => {
    expect(checkProgram(rich).problems).toEqual([])
    survives(rich)
  })

  test('random characters end in a QasmError or a circuit', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), survives), { numRuns: 400 })
  })

  test('random words end in a QasmError or a circuit', () => {
    const text = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((list) => list.join(' '))
    fc.assert(fc.property(text, survives), { numRuns: 1500 })
  })

  test('mutated programs end in a QasmError or a circuit', () => {
    const source = fc.constantFrom(rich, rich, rich, ...published)
    const edit = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(12),
      fc.constantFrom('', ...words),
    )
    fc.assert(
      fc.property(source, fc.array(edit, { minLength: 1, maxLength: 4 }), (text, edits) => {
        let mutated = text
        for (const [place, length, insert] of edits) {
          const at = Math.floor(place * mutated.length)
          mutated = `${mutated.slice(0, at)} ${insert} ${mutated.slice(at + length)}`
        }
        survives(mutated)
      }),
      { numRuns: 700 },
    )
  })

  test('statements put together at random end in a QasmError or a circuit', () => {
    const pieces = rich.split('\n').filter((line) => line !== '')
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (lines) =>
        survives(lines.join('\n')),
      ),
      { numRuns: 300 },
    )
  })

  test('white space and comments between tokens change nothing', () => {
    const [first = '', ...rest] = published
    for (const text of [first, ...rest].filter((part) => part.includes('measure')).slice(0, 5)) {
      const complete = text.slice(0, text.lastIndexOf(';') + 1)
      const spaced = complete.replaceAll(';', ' /* c */ ; // d\n').replaceAll(',', ' ,\t')
      expect(checkProgram(spaced).problems).toEqual(checkProgram(complete).problems)
    }
  })
})
