import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readReport, type TestResult } from './report.ts'

/** One run of one file of tests. */
export interface FileRun {
  file: string
  /**
   * Its tests. A file that crashes, does not load, never ends or has no tests has a failed one that says so,
   * as have the other files of its process.
   */
  tests: readonly TestResult[]
  /** What its process printed. */
  output: string
  seconds: number
  /** Whether its process was ended at the deadline. */
  isLate: boolean
}

export interface FileOptions {
  /** Folder that files are relative to. */
  root: string
  /** Time after which a process is ended. */
  deadlineMs: number
  /** Time after which a test or hook that has not ended is a failure; tests may allow themselves more. */
  testTimeoutMs: number
  /** Whether the process ends with the first failure. */
  bail?: boolean
  /** Ends the processes that run. */
  signal?: AbortSignal
}

/** Name of the failed test that stands for a file as a whole. */
export const NO_TEST = '(file)'

/**
 * How often code has run before the compiler of the runtime optimizes it, five and ten times as often as by
 * itself: tests end so soon that most of what it optimizes is not run again. Saves a tenth of their time.
 */
const COMPILER = {
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '5000',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000',
}

/** Last lines of the output that explain why a file ended. */
const EXCERPT_LINES = 12

/** Runs the tests of one file in a process of its own. */
export async function runFile(file: string, options: FileOptions): Promise<FileRun> {
  const [run] = await runTogether([file], options)
  return run as FileRun
}

/**
 * Runs the tests of `files`, one file after another, in one process, whose modules they share, and in a
 * process group that ends with it, whatever the tests leave behind.
 */
export async function runTogether(files: readonly string[], options: FileOptions): Promise<FileRun[]> {
  const { root, deadlineMs, testTimeoutMs, bail, signal } = options
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const report = join(folder, 'report.xml')
  const printed = join(folder, 'output.txt')
  const started = performance.now()
  try {
    const command = [process.execPath, 'test', `--timeout=${testTimeoutMs}`, '--reporter=junit']
    if (bail) command.push('--bail')
    // A file rather than a pipe: a process that outlives the test would keep a pipe open. It is opened once:
    // with a descriptor each, stdout and stderr overwrite each other.
    const descriptor = openSync(printed, 'a')
    const run = Bun.spawn([...command, `--reporter-outfile=${report}`, ...files.map((file) => `./${file}`)], {
      cwd: root,
      env: { ...COMPILER, ...process.env },
      stdio: ['ignore', descriptor, descriptor],
      detached: true,
    })
    closeSync(descriptor)
    const end = () => killGroup(run.pid)
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      end()
    }, deadlineMs)
    signal?.addEventListener('abort', end, { once: true })
    await run.exited
    clearTimeout(deadline)
    signal?.removeEventListener('abort', end)
    end()

    const output = readFileSync(printed, 'utf8')
    const reports = existsSync(report) ? readReport(readFileSync(report, 'utf8')) : undefined
    const status = run.signalCode ? `was ended by ${run.signalCode}` : `exited with status ${run.exitCode}`
    const ending = isLate ? `did not end within ${deadlineMs / 1000} s` : status
    const hasNamedFailure = [...(reports?.values() ?? [])].some(({ tests }) => tests.some(isFailure))
    const hasSucceeded = run.exitCode === 0 || hasNamedFailure
    const elapsed = (performance.now() - started) / 1000
    return files.map((file) => {
      const { tests, seconds } = reports?.get(file) ?? { tests: [], seconds: elapsed }
      const problem = fileProblem(tests, hasSucceeded, ending)
      const all = problem ? [...tests, withExcerpt(problem, output)] : tests
      return { file, tests: all, output, seconds: files.length === 1 ? elapsed : seconds, isLate }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const isFailure = ({ outcome }: TestResult) => outcome === 'failed'

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nothing of the group is left.
  }
}

/** What is wrong with the file as a whole, which no test of its report says. */
function fileProblem(
  tests: readonly TestResult[],
  hasSucceeded: boolean,
  ending: string,
): string | undefined {
  if (tests.some(isFailure)) return undefined
  if (!hasSucceeded) return `The process ${ending} without a failed test.`
  return tests.length === 0 ? `The process ${ending} and reported no test.` : undefined
}

function withExcerpt(problem: string, output: string): TestResult {
  const last = output.trimEnd().split('\n').slice(-EXCERPT_LINES)
  return { name: NO_TEST, outcome: 'failed', message: [problem, ...last].join('\n') }
}
