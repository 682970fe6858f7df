import { describe, expect, test } from 'bun:test'
import { columnOf, opsOf } from '../support.ts'

/** Made by `tests/oracle/importer/importer.py`. */
const cases = (await Bun.file(`${import.meta.dir}/importer.jsonl`).text())
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { program: string; probabilities: number[] })

describe('modified gates', () => {
  test(`have the probabilities of Qiskit's importer in ${cases.length} programs`, () => {
    for (const { program, probabilities } of cases) {
      const found = columnOf(opsOf(program), 3, 0).map(({ re, im }) => re * re + im * im)
      const largest = Math.max(...found.map((each, index) => Math.abs(each - (probabilities[index] ?? 2))))
      expect([largest < 1e-9, program]).toEqual([true, program])
    }
  })
})
