/**
 * `npm test`: builds the executable when needed, runs the tests and closes with `N passed, N failed`. Without
 * paths, the extended tests are left out: `npm run test:extended` runs them, and `npm run test:oracles` those
 * that need gigabytes of other software. A file that fails beside others runs once more, alone. If it passes
 * then, it is named at the end: a test that depends on the load of the machine is seen and repaired, and a
 * defect, which fails again, is not hidden.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuild, ensureFailpointsBuild } from './ensure-build.ts'

/**
 * Comparisons with other programs (in Python, libzmq, the previous release), sweeps over every page, role
 * and theme, faults of machines, disks and networks, jobs on chips that are calibrated first, and a soak of
 * 360 MB of programs: minutes each.
 */
const EXTENDED = [
  ...['tests/clients', 'tests/oracle', 'tests/interop', 'tests/faults'],
  'tests/devices/scheduler/calibrated-jobs.test.ts',
  ...['tests/e2e/a11y.test.ts', 'tests/e2e/hostile.test.ts', 'tests/e2e/recovery'],
]

/** Comparisons with programs whose environments take gigabytes and minutes to install. */
const ORACLES = [
  ...['tests/oracle/cluster', 'tests/oracle/device-file.test.ts'],
  'tests/oracle/device-examples.test.ts',
  'tests/clients/javascript/runtimes.test.ts',
  'tests/clients/python/adapters.test.ts',
]

/** Tests in a real browser. */
const BROWSER = 'tests/e2e'

interface Outcome {
  pass: number
  fail: number
  skip: number
  /** Files that failed beside others and passed alone. */
  repeated: readonly string[]
}

/** More files than this that fail have a cause of their own; they are not repeated. */
const MAX_REPEATED = 3

/** The count of a word in the closing lines of `bun test`. */
function countOf(word: string, output: string): number {
  const matches = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}s?$`, 'gm'))]
  return Number(matches.at(-1)?.[1] ?? 0)
}

/** Files with failures in a report in the JUnit format of `bun test`. */
export function failedFiles(report: string): string[] {
  const suites = report.matchAll(/<testsuite [^>]*\bfile="([^"]*)"[^>]*\bfailures="([1-9]\d*)"/g)
  return [...new Set([...suites].flatMap(([, file]) => file ?? []))]
}

async function forward(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    process.stderr.write(chunk)
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

interface Run extends Omit<Outcome, 'repeated'> {
  failed: readonly string[]
}

/** One run of `bun test`. A run that ends without a count has one failure, in no file. */
async function runOnce(args: readonly string[]): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const report = join(folder, 'junit.xml')
  const run = Bun.spawn(
    [
      process.execPath,
      'test',
      '--timeout=60000',
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      ...args,
    ],
    { cwd: join(import.meta.dir, '..'), stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [out, err, status] = await Promise.all([forward(run.stdout), forward(run.stderr), run.exited])
  const output = `${out}\n${err}`
  const counts = {
    pass: countOf('pass', output),
    fail: countOf('fail', output),
    skip: countOf('skip', output),
  }
  // An error outside of a test, such as a file that does not load, is in no report.
  const isReported = counts.fail > 0 && countOf('error', output) === 0
  const failed = status !== 0 && isReported ? failedFiles(readFileSync(report, 'utf8')) : []
  rmSync(folder, { recursive: true })
  return { ...counts, fail: status !== 0 ? Math.max(1, counts.fail) : counts.fail, failed }
}

/** Runs the tests at `paths` without those at `ignored`, and files that failed once more, one at a time. */
async function runTests(paths: readonly string[], ignored: readonly string[]): Promise<Outcome> {
  const patterns = ignored.map((path) => (path.endsWith('.ts') ? path : `${path}/**`))
  const first = await runOnce([
    '--parallel=3',
    ...patterns.map((pattern) => `--path-ignore-patterns=${pattern}`),
    ...paths,
  ])
  const { pass, fail, skip, failed } = first
  if (failed.length === 0 || failed.length > MAX_REPEATED) return { pass, fail, skip, repeated: [] }
  console.error(`\nRepeating alone what failed beside others: ${failed.join(', ')}`)
  const again = await runOnce(['--parallel=1', ...failed])
  const repeated = failed.filter((file) => !again.failed.includes(file))
  return {
    ...{ pass: pass + Math.max(0, fail - again.fail), fail: again.fail, skip },
    repeated: again.fail > 0 && again.failed.length === 0 ? [] : repeated,
  }
}

/**
 * Browser tests run on their own: when another test changes the network interfaces of the machine, the
 * browser ends all requests (ERR_NETWORK_CHANGED).
 */
async function runAll(given: readonly string[]): Promise<Outcome[]> {
  if (given.includes('--extended')) return [await runTests(EXTENDED, ORACLES)]
  if (given.includes('--oracles')) return [await runTests(ORACLES, [])]
  if (given.length > 0) return [await runTests(given, [])]
  return [await runTests([], [...EXTENDED, BROWSER]), await runTests([BROWSER], EXTENDED)]
}

if (import.meta.main) {
  await ensureBuild()
  await ensureFailpointsBuild()
  const started = performance.now()
  const outcomes = await runAll(process.argv.slice(2))
  const sum = (name: 'pass' | 'fail' | 'skip') =>
    outcomes.reduce((total, outcome) => total + outcome[name], 0)
  const [pass, fail, skip] = [sum('pass'), sum('fail'), sum('skip')]
  for (const file of outcomes.flatMap(({ repeated }) => repeated)) {
    console.log(`(unstable) ${file} failed beside other tests and passed alone`)
  }
  console.log(`Tests took ${Math.round((performance.now() - started) / 1000)} s`)
  console.log(`${pass} passed, ${fail} failed${skip > 0 ? `, ${skip} skipped` : ''}`)
  process.exit(fail === 0 ? 0 : 1)
}
