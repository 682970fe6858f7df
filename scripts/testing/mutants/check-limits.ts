/**
 * `bun run scripts/testing/mutants/check-limits.ts [TEXT]`: takes away each limit on the cost of requests and
 * messages in turn, in a copy of the sources, and runs the tests that have to fail without it. Prints a line
 * for each limit with a test that fails, and `failed:` for each limit that no test notices. TEXT selects the
 * limits whose file contains it. A test that does not end fails too: it waits for what the limit refuses.
 */
import { join } from 'node:path'
import { type FileRun, NO_TEST, runFile } from '../run-file.ts'
import { LIMITED_FILES } from './limit-mutants.ts'
import { SourceCopy } from './source-copy.ts'

/** Without a limit, a test may wait for what does not come. */
const LIMITS = { deadlineMs: 120_000, testTimeoutMs: 60_000 }

const failuresOf = ({ tests }: FileRun) => tests.filter(({ outcome }) => outcome === 'failed')

const [selected = ''] = process.argv.slice(2)
using copy = new SourceCopy(join(import.meta.dir, '../../..'))
const run = (test: string) => runFile(test, { root: copy.folder, ...LIMITS })

/** The problem with a limit, or the name of a test that fails without it. */
async function check(file: string, test: string, text: string, without: string) {
  try {
    using _ = copy.alter(file, text, without)
    const ended = await run(test)
    const [failure] = failuresOf(ended)
    if (!failure) return { problem: `${test} passes without it` }
    if (failure.name !== NO_TEST) return { noticed: failure.name }
    // A source that does not load says nothing about the tests.
    return ended.isLate ? { noticed: 'waits for a refusal' } : { problem: failure.message }
  } catch (error) {
    return { problem: String(error) }
  }
}

let passed = 0
const problems: string[] = []
const sound = new Map<string, boolean>()
for (const { file, test, limits } of LIMITED_FILES.filter((each) => each.file.includes(selected))) {
  if (!sound.has(test)) sound.set(test, failuresOf(await run(test)).length === 0)
  for (const { limit, check: text, without } of limits) {
    const { noticed, problem } = sound.get(test)
      ? await check(file, test, text, without)
      : { problem: `${test} fails with every limit in place` }
    if (noticed) passed += 1
    else problems.push(`failed: ${limit} (${file}): ${problem}`)
    console.log(`${noticed ? 'noticed' : 'MISSED '}  ${limit}: ${noticed ?? problem}`)
  }
}
console.log(['', ...problems, `${passed} passed, ${problems.length} failed`].join('\n'))
process.exitCode = problems.length === 0 ? 0 : 1
