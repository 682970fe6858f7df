import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  type ExportedProgram,
  exportedPrograms,
  largestDifference,
  storedPrograms,
} from '../../support/exports/exported-program.ts'
import { openExportsPython } from '../../support/python/python.ts'

const python = await openExportsPython()

const NUMBER = /\d+\.\d+(?:e[+-]?\d+)?/g

/** Numbers of a program, whose last digits depend on the processor, and the text around them. */
function partsOf({ program }: ExportedProgram): { text: string; numbers: number[] } {
  return { text: program.replaceAll(NUMBER, '#'), numbers: (program.match(NUMBER) ?? []).map(Number) }
}

test.skipIf(python === undefined)(
  'the stored corpus is what the tools write, with the probabilities that they compute',
  async () => {
    const run = Bun.spawn([python ?? '', join(import.meta.dir, 'generate.py')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const made = exportedPrograms(await new Response(run.stdout).text())
    const stored = await storedPrograms()
    const titles = (programs: ExportedProgram[]) =>
      programs.map(({ tool, options, name, source, refused }) => ({ tool, options, name, source, refused }))
    expect(titles(made)).toEqual(titles(stored))
    for (const [index, program] of made.entries()) {
      const [now, before] = [partsOf(program), partsOf(stored[index] as ExportedProgram)]
      expect(now.text).toBe(before.text)
      const differences = now.numbers.map((number, place) => Math.abs(number - (before.numbers[place] ?? 0)))
      expect(Math.max(0, ...differences)).toBeLessThan(1e-7)
      const { probabilities } = stored[index] as ExportedProgram
      expect(largestDifference(program.probabilities, probabilities)).toBeLessThan(1e-9)
    }
  },
  20 * 60_000,
)
