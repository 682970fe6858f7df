/**
 * `npm test [-- PATH …]`: builds the executable when needed and runs the tests below the paths, or those of
 * the gate; with `--changed [COMMIT]` the nearest tests of the gate that name what differs from the commit
 * (HEAD), directly or through other files. Files that fail run again, alone. Closes with `N passed, N failed,
 * N skipped`.
 */
import { availableParallelism } from 'node:os'
import { join, normalize } from 'node:path'
import { Glob } from 'bun'
import { ensureBuild, ensureFailpointsBuild } from './ensure-build.ts'
import { listFiles, readTree } from './source-checks/source-tree.ts'
import { affectedTests, changedFiles } from './testing/changed.ts'
import { closingLines, fileLine, isGreen } from './testing/closing.ts'
import { groupFiles } from './testing/groups.ts'
import { partOf, selectTests } from './testing/parts.ts'
import { runFiles } from './testing/run-files.ts'

const ROOT = join(import.meta.dir, '..')
const MINUTE_MS = 60_000
/** The longest file of the gate takes a minute on an idle machine. */
const GATE_LIMITS = { deadlineMs: 10 * MINUTE_MS, testTimeoutMs: MINUTE_MS }
/** Some files that are named install packages, or run thousands of circuits. */
const NAMED_LIMITS = { deadlineMs: 30 * MINUTE_MS, testTimeoutMs: 5 * MINUTE_MS }

/** As many files of tests as run in seconds. */
const ENOUGH_CHANGED = 12

const args = process.argv.slice(2)
const isOfChange = args[0] === '--changed'
const paths = isOfChange
  ? await nearestTests(args[1])
  : args.map((path) => normalize(path).replace(/\/$/, ''))
const all = [...new Glob('tests/**/*.test.ts').scanSync({ cwd: ROOT })].sort()
const files = selectTests(all, paths)
const unknown = paths.filter((path) => selectTests(all, [path]).length === 0)
if (unknown.length > 0) {
  console.error(`No test is at or below ${unknown.join(', ')}; give files or folders below tests/.`)
  process.exit(2)
}

await ensureBuild()
await ensureFailpointsBuild()

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
// Neighbors are of a kind, such as those that wait for other processes: mixed, they wait while others
// compute.
const order = ([first = '']: readonly string[]) => Bun.hash.crc32(first)
const mixed = groupFiles(files).sort((one, other) => order(one) - order(other))
const started = performance.now()
const summary = await runFiles(mixed, {
  root: ROOT,
  ...(paths.length === 0 ? GATE_LIMITS : NAMED_LIMITS),
  // Most tests wait for other processes more than half of their time.
  parallel: 2 * availableParallelism(),
  signal: stop.signal,
  onRun: (run) => console.log(fileLine(run)),
})
for (const line of closingLines(summary, (performance.now() - started) / 1000)) console.log(line)
process.exit(isGreen(summary) && !stop.signal.aborted ? 0 : 1)

/** The nearest tests of the gate for what differs from the commit; ends the process if there are none. */
async function nearestTests(commit = 'HEAD'): Promise<string[]> {
  const { texts } = await readTree(ROOT, listFiles(ROOT))
  const changed = changedFiles(ROOT, commit)
  const inGate = new Map([...texts].filter(([file]) => partOf(file) === undefined))
  const { tests, total } = affectedTests(inGate, changed, ENOUGH_CHANGED)
  console.log(
    `${changed.length} files differ from ${commit}; the nearest ${tests.length} of ${total} files of tests:`,
  )
  if (tests.length > 0) return tests
  console.log('No test names what has changed. `npm test` runs all, with those of the executable.')
  process.exit(0)
}
