import type { FieldError } from '../../../clients/js/src/index.ts'
import { AppError } from '../../base/index.ts'
import { plain } from './output.ts'

/** A program as it was read: `file` as given, `-` for standard input. */
export interface Program {
  file: string
  text: string
}

/** The option that gives a field of a request. */
const OPTION_OF: { readonly [field: string]: string } = {
  before: '--before',
  give_up_after: '--give-up-after',
  max_seconds: '--max-seconds',
  qpu: '--qpu',
  reason: '--reason',
  require: '--require',
  tag: '--tag',
  qpu_target: '--qpu',
  shots: '--shots',
  name: '--name',
  tags: '--tag',
  seed: '--seed',
}

/** A message of the server or the client with commands in place of routes, headers and methods. */
export function inCommands(message: string): string {
  return message
    .replace(/: client\.resume\(key\) finds it$/, '; svc resume KEY finds it')
    .replace(/GET \/api\/qpus lists them/, 'svc qpus lists them')
    .replace(/^Idempotency-Key: /, '--key: ')
}

/** The fields that a server refuses, by the options that give them. */
export function fieldLines(fields: Readonly<Record<string, FieldError>>): string[] {
  return Object.entries(fields).map(([path, { message }]) => `${nameOf(path)}: ${plain(inCommands(message))}`)
}

function nameOf(path: string): string {
  return OPTION_OF[path.split('.')[0] ?? ''] ?? path
}

/** The error of a job that is not accepted, with a line for each problem. */
export function notAccepted(
  problems: readonly (FieldError & { path: string })[],
  programs: readonly Program[],
): AppError {
  const lines = problems.map((problem) => problemText(problem, programs))
  return new AppError('invalid', ['The job is not accepted:', ...lines].join('\n'))
}

/**
 * A problem of a program as compilers report it, `bell.qasm:3:1: There is no gate "hh"`, with that line and a
 * caret below it; a problem of anything else after the option that gives it, or its path in the request.
 */
function problemText(
  { path, message, params = {} }: FieldError & { path: string },
  programs: readonly Program[],
): string {
  const at = /^circuits\.(\d+)\.circuit$/.exec(path)?.[1]
  const program = at === undefined ? undefined : programs[Number(at)]
  if (!program) return plain(`${nameOf(path)}: ${inCommands(message)}`)
  const file = program.file === '-' ? 'standard input' : program.file
  const { line, column } = params
  const source = typeof line === 'number' ? program.text.split(/\r?\n/)[line - 1] : undefined
  if (source === undefined || typeof column !== 'number') return plain(`${file}: ${message}`)
  // A tab is one column, as the caret takes.
  const shown = plain(source.replaceAll('\t', ' '))
  const caret = `${' '.repeat(Math.max(0, column - 1))}^`
  return [plain(`${file}:${line}:${column}: ${message}`), `  ${shown}`, `  ${caret}`].join('\n')
}
