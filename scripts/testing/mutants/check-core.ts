/**
 * `bun run scripts/testing/mutants/check-core.ts [--seed N] [--count N] [--equipment] [TEXT]`: changes the
 * core of the server, or with `--equipment` the driver and devices, in one place at a time, in a copy of the
 * sources, and runs the tests of the folder that mirrors it until one fails. Mutants are drawn by the seed;
 * TEXT selects those whose file contains it. Prints a line for each, and `survived:` for each that no test
 * notices; fails if more than a tenth survive. Some change nothing that can be observed, hence the tenth.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import { NO_TEST, runFile } from '../run-file.ts'
import { CORE, drawMutants, EQUIPMENT } from './core-mutants.ts'
import { SourceCopy } from './source-copy.ts'

const ROOT = join(import.meta.dir, '../../..')
const LIMITS = { deadlineMs: 300_000, testTimeoutMs: 60_000, bail: true }
const MIN_SHARE = 0.9

const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    equipment: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const [selected = ''] = positionals
const areas = values.equipment ? EQUIPMENT : CORE
const drawn = drawMutants(ROOT, { seed: Number(values.seed), count: Number(values.count), areas })
const mutants = drawn.filter(({ file }) => file.includes(selected))

using copy = new SourceCopy(ROOT)

/** The first test of `file` that fails; undefined if all pass, or none because the sources do not load. */
async function failureOf(file: string): Promise<string | undefined> {
  const { tests } = await runFile(file, { root: copy.folder, ...LIMITS })
  return tests.find(({ name, outcome }) => outcome === 'failed' && name !== NO_TEST)?.name
}

/** The files of tests of a mutant, that of its own file first. */
function testsOf({ file, area: { tests } }: (typeof mutants)[number]): string[] {
  const own = file.replace('src/', 'tests/').replace('.ts', '.test.ts')
  const all = tests.flatMap((folder) =>
    [...new Glob(`${folder}/**/*.test.ts`).scanSync({ cwd: ROOT })].sort(),
  )
  return [...all.filter((test) => test === own), ...all.filter((test) => test !== own)]
}

const broken = new Map<string, string | undefined>()
async function noticed(mutant: (typeof mutants)[number]): Promise<string | undefined> {
  for (const test of testsOf(mutant)) {
    if (!broken.has(test)) broken.set(test, await failureOf(test))
    if (broken.get(test) !== undefined) continue
    using _ = copy.alter(mutant.file, mutant)
    const failure = await failureOf(test)
    if (failure !== undefined) return failure
  }
  return undefined
}

const survivors: string[] = []
for (const mutant of mutants) {
  const failure = await noticed(mutant)
  const place = `${mutant.file}:${mutant.line} ${mutant.text.replace(/\s+/g, ' ')} → ${mutant.replacement.replace(/\s+/g, ' ')}`
  if (failure === undefined) survivors.push(`survived: ${place}`)
  console.log(`${failure === undefined ? 'SURVIVED' : 'noticed '}  ${place}${failure ? `: ${failure}` : ''}`)
}
const failing = [...broken].flatMap(([test, failure]) => (failure ? [`failed: ${test}: ${failure}`] : []))
const passed = mutants.length - survivors.length
const isEnough = mutants.length > 0 && passed >= MIN_SHARE * mutants.length && failing.length === 0
const failed = failing.length + (isEnough ? 0 : survivors.length)
console.log(['', ...survivors, ...failing, `${passed} passed, ${failed} failed, 0 skipped`].join('\n'))
process.exitCode = isEnough ? 0 : 1
