import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { checkProgram, lowerProgram, parseProgram, QasmError, runDynamic } from '../../src/qasm/index.ts'
import { RICH_PROGRAM as rich, WORDS as words } from './texts.ts'

const folder = join(import.meta.dir, '../circuits')
const published = readdirSync(folder)
  .filter((file) => file.endsWith('.qasm'))
  .map((file) => readFileSync(join(folder, file), 'utf8').slice(0, 1500))

/** Runs every stage on a text: it may throw nothing but a QasmError. */
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

  test('statements combined at random end in a QasmError or a circuit', () => {
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
