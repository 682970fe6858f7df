import { stripVTControlCharacters } from 'node:util'
import { NAME_SEPARATOR } from './report.ts'
import type { FileRun } from './run-file.ts'
import type { NamedTest, Summary } from './run-files.ts'

/** The end of a run, where failures are looked for, has at most 60 lines. */
const MAX_FAILURE_LINES = 48
const MAX_LINE_LENGTH = 240

const nameOf = ({ file, test }: NamedTest) => `${file}${NAME_SEPARATOR}${test}`

/** One line for a run of a file; a file that failed is followed by its whole output. */
export function fileLine({ file, tests, seconds, output }: FileRun): string {
  const failed = tests.filter(({ outcome }) => outcome === 'failed').length
  const line = `${failed > 0 ? '✗' : '✓'} ${file} (${tests.length} tests, ${seconds.toFixed(1)} s)`
  return failed > 0 ? `${line}\n${output}` : line
}

/** Whether a run succeeded: at least one test passed, and none failed. */
export function isGreen({ passed, failed }: Summary): boolean {
  return passed > 0 && failed === 0
}

/**
 * The last lines of a run: unstable tests, failed tests with as much of their messages as fits into 60 lines,
 * why others were skipped, and `N passed, N failed, N skipped`.
 */
export function closingLines(summary: Summary, seconds: number): string[] {
  const { passed, failed, skipped, failures, unstable, notices } = summary
  const files = new Set(unstable.map(({ file }) => file)).size
  const shown = failures.slice(0, MAX_FAILURE_LINES)
  const perFailure = Math.floor(MAX_FAILURE_LINES / Math.max(1, shown.length)) - 1
  return [
    ...unstable.map((test) => `unstable: ${nameOf(test)}`),
    ...(unstable.length > 0
      ? [`${unstable.length} unstable in ${files} files; each passed when it ran alone`]
      : []),
    ...shown.flatMap((failure) => [`failed: ${nameOf(failure)}`, ...excerpt(failure.message, perFailure)]),
    ...(failures.length > shown.length
      ? [`${failures.length - shown.length} more failed; their output is above`]
      : []),
    ...(passed + failed === 0 ? ['No test was executed.'] : []),
    ...notices,
    `Tests took ${Math.round(seconds)} s`,
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ]
}

function excerpt(message: string, lines: number): string[] {
  return stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, Math.max(0, lines))
    .map((line) => `    ${line.slice(0, MAX_LINE_LENGTH)}`)
}
