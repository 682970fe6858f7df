import { describe, expect, test } from 'bun:test'
import { parseProgram, QasmError } from '../../../src/qasm/index.ts'
import { exactDistribution } from '../../support/exports/exact-distribution.ts'
import {
  type ExportedProgram,
  largestDifference,
  storedPrograms,
} from '../../support/exports/exported-program.ts'

/** Made by `tests/oracle/exports/generate.py`; some tools print angles with 10 to 14 digits. */
const corpus = await storedPrograms()
const TOLERANCE = 1e-9

/** The values that a program with inputs was written for. */
function inputsOf({ options }: ExportedProgram): number[] {
  return /inputs ([\d. ]+)/.exec(options)?.[1]?.split(' ').map(Number) ?? []
}

const titleOf = ({ tool, options, name }: ExportedProgram) => `${tool}, ${options}: ${name}`

describe('programs that other tools have written', () => {
  for (const tool of new Set(corpus.map((each) => each.tool))) {
    const programs = corpus.filter((each) => each.tool === tool && each.refused === undefined)
    test(`${programs.length} of ${tool} have the probabilities of their circuits`, () => {
      const wrong = programs.flatMap((each) => {
        const found = exactDistribution(parseProgram(each.program), inputsOf(each))
        const difference = largestDifference(found, each.probabilities)
        return difference < TOLERANCE ? [] : [`${titleOf(each)}: differs by ${difference}`]
      })
      expect(wrong).toEqual([])
    })
  }

  const refused = corpus.filter((each) => each.refused !== undefined)

  test.each(refused.map((each) => [titleOf(each), each] as const))('%s is refused', (_, each) => {
    expect(() => parseProgram(each.program)).toThrow(QasmError)
  })

  test('the corpus has at least 200 programs of nine tools, of which at least 95 % run', () => {
    expect(new Set(corpus.map((each) => each.tool)).size).toBe(9)
    expect(corpus.length).toBeGreaterThanOrEqual(200)
    expect(refused.length / corpus.length).toBeLessThanOrEqual(0.05)
    expect(corpus.filter((each) => Object.keys(each.probabilities).length === 0)).toEqual([])
  })
})
