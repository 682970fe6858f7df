import type { ReservedSQL, SQL } from 'bun'
import type { Done, NumberedStatement, Refusal } from './bridge.ts'

/** Types of PostgreSQL whose values are numbers here: bool, and int8 and numeric, which come as text. */
const BOOL = 16
const NUMERIC_TYPES: ReadonlySet<number> = new Set([20, 1700])

/** Characters of a text that JSON carries faster than a copy of it. */
const MAX_SHORT = 8_192

/** What the client returns beyond its rows. */
interface Result extends Array<Record<string, unknown>> {
  readonly count: number
  readonly command: string
  readonly columns: readonly { readonly name: string; readonly type: number }[]
}

/**
 * Begins to run a statement. Both forms prepare it, so that statements that are begun together leave
 * together: one without values only as a template.
 */
export function run(own: ReservedSQL | SQL, { text, values }: NumberedStatement): Promise<Result> {
  return values.length > 0 ? own.unsafe(text, [...values]) : own(templateOf(text))
}

function templateOf(text: string): TemplateStringsArray {
  return Object.defineProperty([text], 'raw', {
    value: [text],
  }) as string[] as unknown as TemplateStringsArray
}

/** What a statement did; numbers and truth values as SQLite returns them. */
export function doneOf(result: Result): Done {
  for (const { name, type } of result.columns ?? []) {
    if (NUMERIC_TYPES.has(type) || type === BOOL) {
      for (const row of result) if (row[name] !== null) row[name] = Number(row[name])
    }
  }
  return { rows: [...result], count: result.count ?? 0, command: result.command ?? '' }
}

/** Whether the rows are faster as JSON: without long texts, and without what that does not have. */
export function fitsJson(result: Result): boolean {
  return result.every((row) => Object.values(row).every(isShort))
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_SHORT
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || typeof value === 'boolean'
}

/** Why a statement failed. */
export function refusalOf(error: unknown): Refusal {
  const text = (name: string) =>
    typeof error === 'object' && error !== null && typeof Reflect.get(error, name) === 'string'
      ? String(Reflect.get(error, name))
      : ''
  // The SQLSTATE is in `errno`; errors of the client have only a code.
  return {
    code: text('errno') || text('code'),
    message: text('message'),
    detail: text('detail'),
    table: text('table'),
  }
}
