import { createConsola, LogLevels, type LogType } from 'consola/core'
import { type LogFields, scopeFields } from './work-scope.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFormat = 'auto' | 'pretty' | 'json'

/**
 * Structured log: a fixed sentence plus fields, its own and those of `withLogFields`; secrets are redacted by
 * field name and by pattern.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** The same log with a subject in front of each line. */
  child(subject: string): Log
}

const LEVELS: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }
/** The sign in front of a readable line, and its color as an SGR parameter (ECMA-48 §8.3.117). */
const SIGNS: Partial<Record<LogType, [sign: string, color: number]>> = {
  debug: ['⚙', 90],
  info: ['ℹ', 36],
  warn: ['⚠', 33],
  error: ['✖', 31],
}
const SECRET_NAME = /(token|password|secret|api_?key|authorization|payload|circuit$)/i
const SECRET_TEXT = /\b(svc_(?:at_|dt_)?[0-9a-f]{16,}|eyJ[\w-]+\.[\w-]+\.[\w-]+)/g

/** Levels of nested fields that are shown; circular references end there too. */
const MAX_DEPTH = 4

function redact(name: string, value: unknown, depth = 0): unknown {
  if (SECRET_NAME.test(name)) return '[redacted]'
  if (typeof value === 'string') return value.replace(SECRET_TEXT, '[redacted]')
  if (value instanceof Error) return redact(name, shownError(value))
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return '[…]'
  if (Array.isArray(value)) return value.map((each) => redact(name, each, depth + 1))
  return redactFields(value, depth + 1)
}

function redactFields(fields: object, depth = 0): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redact(name, value, depth)]))
}

/** The stack, which begins with name and message, followed by the cause. */
function shownError(error: Error): string {
  const own = error.stack?.includes(error.message)
    ? error.stack
    : `${error.name}: ${error.message}\n${error.stack ?? ''}`
  return error.cause instanceof Error ? `${own}\ncaused by ${shownError(error.cause)}` : own
}

function signOf(type: LogType, isColored: boolean): string {
  const [sign, color] = SIGNS[type] ?? ['', 0]
  return isColored ? `\x1b[${color}m${sign}\x1b[39m` : sign
}

/** A field value of a readable line. */
function shown(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

interface LogOptions {
  /** Lowest level that is written; a function is called for each line. */
  level?: LogLevel | (() => LogLevel)
  format?: LogFormat
  /** Receives each finished line, without its line end; standard error when absent. */
  write?: (line: string) => void
  /** Receives each line as JSON too, in whatever format it is written. */
  store?: (line: string) => void
  now?: () => number
}

/** A log that writes readable lines, in local time, on a terminal and JSON lines elsewhere. */
export function createLog(options: LogOptions = {}): Log {
  const { level: least = 'info' } = options
  const threshold = () => LEVELS[typeof least === 'function' ? least() : least]
  const pretty =
    options.format === 'pretty' || (options.format !== 'json' && !options.write && process.stderr.isTTY)
  const isColored = pretty && !options.write && process.stderr.isTTY && process.stderr.hasColors()
  const write = options.write ?? ((line: string) => void process.stderr.write(`${line}\n`))
  // Without its own reporters, which take 5 ms to load and restyle backquotes and underscores in the text.
  const readable = createConsola({
    level: LogLevels.debug,
    throttle: 0,
    reporters: [{ log: ({ type, args: [line] }) => write(`${signOf(type, isColored)} ${line}`) }],
  })
  const now = options.now ?? (() => Date.now())

  function emit(level: LogLevel, subject: string, message: string, fields: LogFields): void {
    if (LEVELS[level] < threshold()) return
    const safe = redactFields({ ...scopeFields(), ...fields })
    const text = String(redact('', message))
    const time = new Date(now())
    if (!pretty || options.store) {
      const head = { time: time.toISOString(), level, subject, message: text }
      // A field of the same name, which a device may send, must not replace one of these four.
      const line = JSON.stringify({ ...head, ...safe, ...head })
      options.store?.(line)
      if (!pretty) {
        write(line)
        return
      }
    }
    const tail = Object.entries(safe)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ` ${name}=${shown(value)}`)
    const clockTime = time.toLocaleTimeString('sv')
    readable[level](`${clockTime} ${subject ? `${subject}: ` : ''}${text}${tail.join('')}`)
  }

  const withSubject = (subject: string): Log => ({
    debug: (message, fields = {}) => emit('debug', subject, message, fields),
    info: (message, fields = {}) => emit('info', subject, message, fields),
    warn: (message, fields = {}) => emit('warn', subject, message, fields),
    error: (message, fields = {}) => emit('error', subject, message, fields),
    child: (name) => withSubject(subject ? `${subject}.${name}` : name),
  })
  return withSubject('')
}

/** A log that drops everything: for tests and short commands. */
export const silentLog: Log = createLog({ write: () => undefined, level: 'error' })
