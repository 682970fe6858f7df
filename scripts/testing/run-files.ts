import type { TestResult } from './report.ts'
import { type FileOptions, type FileRun, runTogether } from './run-file.ts'

export interface RunOptions extends FileOptions {
  /** Groups that run at the same time, as long as no failure is repeated. */
  parallel: number
  /** Called after each run of a file. */
  onRun: (run: FileRun) => void
}

/** A test by file and name. */
export interface NamedTest {
  file: string
  test: string
}

export interface Summary {
  passed: number
  failed: number
  skipped: number
  /** Failed tests of files that failed in every run. */
  failures: readonly (NamedTest & { message: string })[]
  /** What files printed about tests that the machine cannot run, each line once. */
  notices: readonly string[]
  /** Tests that failed in a file which then passed when it ran alone. */
  unstable: readonly NamedTest[]
}

/** Such a line, which `tests/e2e/browser.ts` prints without a browser. */
const NOTICE = /^\w+ tests are skipped: .+$/gm

/** How often the files that failed run again, alone. */
const REPETITIONS = 2
/**
 * More files than this that fail at first are not repeated, and the run fails: the cause is the product or
 * the machine, not an unstable test.
 */
export const MAX_UNSTABLE_FILES = 15

const hasFailed = (run: FileRun | undefined) => run?.tests.some(({ outcome }) => outcome === 'failed') ?? true

/**
 * Runs all files, the files of a group in one process and several groups at a time, then those that failed
 * again, each alone and with nothing beside it, until they pass or have failed three times. Each test counts
 * once, by the last run of its file.
 */
export async function runFiles(
  groups: readonly (readonly string[])[],
  options: RunOptions,
): Promise<Summary> {
  const files = groups.flat()
  const runs = new Map<string, FileRun[]>(files.map((file) => [file, []]))
  const execute = async (group: readonly string[]) => {
    if (options.signal?.aborted) return
    for (const run of await runTogether(group, options)) {
      runs.get(run.file)?.push(run)
      options.onRun(run)
    }
  }
  const queue = groups.values()
  const worker = async () => {
    for (const group of queue) await execute(group)
  }
  await Promise.all(Array.from({ length: options.parallel }, worker))
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const failing = files.filter((file) => hasFailed(runs.get(file)?.at(-1)))
    if (failing.length > MAX_UNSTABLE_FILES) break
    for (const file of failing) await execute([file])
  }
  return summarize([...runs.values()])
}

/** Counts tests and names failures; `runs` has the runs of each file in their order. */
function summarize(runs: readonly (readonly FileRun[])[]): Summary {
  const last = runs.flatMap((ofFile) => ofFile.at(-1)?.tests ?? [])
  const count = (outcome: TestResult['outcome']) => last.filter((test) => test.outcome === outcome).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    failures: runs
      .filter((ofFile) => hasFailed(ofFile.at(-1)))
      .flatMap((ofFile) => failuresOf(ofFile.slice(-1))),
    notices: [...new Set(runs.flatMap((ofFile) => ofFile.at(-1)?.output.match(NOTICE) ?? []))],
    unstable: runs.filter((ofFile) => !hasFailed(ofFile.at(-1))).flatMap(failuresOf),
  }
}

/** The failed tests of the runs of a file, each once. */
function failuresOf(runs: readonly FileRun[]): Summary['failures'] {
  const failures = new Map<string, Summary['failures'][number]>()
  for (const { file, tests } of runs) {
    for (const { name, outcome, message } of tests) {
      if (outcome === 'failed') failures.set(name, { file, test: name, message })
    }
  }
  return [...failures.values()]
}
