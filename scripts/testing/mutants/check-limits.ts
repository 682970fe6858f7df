/**
 * `bun run scripts/testing/mutants/check-limits.ts [TEXT]`: takes away each limit on the cost of requests and
 * messages in turn, in a copy of the sources, and runs the tests that have to fail without it. Prints a line
 * for each limit with a test that fails, and `failed:` for each limit that no test notices. TEXT selects the
 * limits whose file contains it. A test that only waits without the limit, until its time is over, does not
 * count: it has to see what the limit refuses.
 */
import { join } from 'node:path'
import { type FileRun, NO_TEST, runFile } from '../run-file.ts'
import { DECLARED_LIMITS } from './declared-limits.ts'
import { OTHER_LIMITS } from './limit-mutants.ts'
import { SourceCopy } from './source-copy.ts'

const LIMITS = { deadlineMs: 300_000, testTimeoutMs: 60_000 }
/** The message of a test that has not ended in its time. */
const TIMED_OUT = 'test timed out'

const failuresOf = ({ tests }: FileRun) => tests.filter(({ outcome }) => outcome === 'failed')

const [selected = ''] = process.argv.slice(2)
using copy = new SourceCopy(join(import.meta.dir, '../../..'))
const run = (test: string) => runFile(test, { root: copy.folder, ...LIMITS })

/** The problem with a limit, or the name of a test that fails without it. */
async function check(file: string, test: string, text: string, without: string) {
  try {
    using _ = copy.alter(file, { text, replacement: without })
    const failures = failuresOf(await run(test))
    // A source that does not load, and a file that never ends, say nothing about the limit.
    const noticed = failures.find(({ name, message }) => name !== NO_TEST && message !== TIMED_OUT)
    return noticed
      ? { noticed: noticed.name }
      : { problem: failures[0]?.message ?? `${test} passes without it` }
  } catch (error) {
    return { problem: String(error) }
  }
}

let passed = 0
const problems: string[] = []
const sound = new Map<string, boolean>()
for (const { file, test, limits } of [...DECLARED_LIMITS, ...OTHER_LIMITS].filter((each) =>
  each.file.includes(selected),
)) {
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
