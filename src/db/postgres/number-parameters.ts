import type { Bindable, Params } from '../engine/sql.ts'
import type { NumberedStatement } from './bridge/bridge.ts'

/** A statement for values of certain types. */
interface Numbered {
  readonly text: string
  /** The names of `$1`, `$2` and so on. */
  readonly names: readonly string[]
}

type ValueType = 'text' | 'int8' | 'float8' | 'NULL'

/** Texts and quoted names, in which nothing is a parameter; or a parameter. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|\$([A-Za-z_]\w*)/g

const MAX_KNOWN = 1_000
const known = new Map<string, Numbered>()

/**
 * A statement with numbers for the names of its parameters. Each has the type of its value: the server would
 * otherwise take it from the place where it is, which SQLite does not. NULL has none, and is written out.
 */
export function numberParameters(sql: string, params: Params = {}): NumberedStatement {
  const names = Object.keys(params)
  if (names.length === 0) return { text: sql, values: [] }
  const types = new Map(names.map((name) => [name, typeOf(params[name])]))
  const key = `${[...types].join(' ')}\n${sql}`
  let numbered = known.get(key)
  if (!numbered) {
    numbered = number(sql, types)
    known.set(key, numbered)
    if (known.size > MAX_KNOWN) for (const oldest of [...known.keys()].slice(0, 1)) known.delete(oldest)
  }
  return { text: numbered.text, values: numbered.names.map((name) => textOf(params[name])) }
}

function number(sql: string, types: ReadonlyMap<string, ValueType>): Numbered {
  const names: string[] = []
  const text = sql.replace(TOKEN, (token, name?: string) => {
    const type = name === undefined ? undefined : types.get(name)
    if (name === undefined || type === undefined) return token
    if (type === 'NULL') return type
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}::${type}`
  })
  return { text, names }
}

function typeOf(value: Bindable | undefined): ValueType {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return 'NULL'
    return Number.isSafeInteger(value) ? 'int8' : 'float8'
  }
  return typeof value === 'string' || value instanceof Uint8Array ? 'text' : 'int8'
}

/** In place of NUL, which the server refuses: no stored text has it, so that both are equal to none. */
const NO_CHARACTER = '\uffff'

/** No column stores bytes: those that are bound are text in UTF-8. */
function textOf(value: Bindable | undefined): string {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (typeof value === 'string') return value.replaceAll('\0', NO_CHARACTER)
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}
