import { isIP } from 'node:net'
import { type Network, parseNetwork } from '../ip-address.ts'
import { formatBytes, parseBytes } from './bytes.ts'
import { formatDuration, parseDuration } from './duration.ts'
import { readValue } from './read-value.ts'
import { expected, ValueError } from './value-error.ts'
import type { ValueKind } from './value-kind.ts'

const unchanged = (value: string) => value

/** Any text, optionally of a fixed form. */
export function text(hint = 'text', form?: { pattern: RegExp; expected: string }): ValueKind<string> {
  return {
    hint,
    parse(value) {
      if (form && !form.pattern.test(value)) throw expected(form.expected)
      return value
    },
    format: unchanged,
  }
}

/** Any text that is not empty. */
export function nonEmptyText(hint = 'text'): ValueKind<string> {
  return {
    hint,
    parse(value) {
      if (value === '') throw new ValueError('the value is empty')
      return value
    },
    format: unchanged,
  }
}

/** The same kind for values that no message repeats and no listing shows. */
export function secret<T>(kind: ValueKind<T>): ValueKind<T> {
  return { ...kind, isSecret: true }
}

/** A file or folder. */
export function path(): ValueKind<string> {
  return { ...nonEmptyText('path'), isPath: true }
}

/** Bounds of a number, inclusive. */
export interface Bounds {
  min?: number
  max?: number
}

/** A whole number; without bounds any up to 2^53 - 1 in size. */
export function integer(bounds: Bounds = {}): ValueKind<number> {
  return numeric(/^[+-]?\d+$/, Number.isSafeInteger, { ...bounds, noun: 'a whole number' })
}

/** A finite number, also with exponent. */
export function number(bounds: Bounds & { hint?: string; noun?: string } = {}): ValueKind<number> {
  return numeric(/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i, Number.isFinite, { noun: 'a number', ...bounds })
}

/** A number of seconds, without unit; not negative unless `min` allows it. */
export function seconds(bounds: Bounds = {}): ValueKind<number> {
  return number({ min: 0, ...bounds, hint: 'seconds', noun: 'a number of seconds' })
}

interface NumericOptions extends Bounds {
  hint?: string
  noun: string
}

function numeric(
  form: RegExp,
  isValid: (value: number) => boolean,
  { min, max, hint = 'n', noun }: NumericOptions,
): ValueKind<number> {
  return {
    hint,
    parse(given) {
      // Number() alone would also accept '', '0x10' and '1e999'.
      const value = form.test(given.trim()) ? Number(given) : Number.NaN
      if (isValid(value) && value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return value
      throw expected(`${noun}${rangeOf(min, max)}`)
    },
    format: String,
  }
}

function rangeOf(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}

/** `720h`, `30m`, `90s`; stored in milliseconds. */
export function duration(minMs = 0, maxMs = Number.POSITIVE_INFINITY): ValueKind<number> {
  return {
    hint: 'duration',
    parse(value) {
      const ms = parseDuration(value)
      if (ms < minMs) throw expected(`at least ${formatDuration(minMs)}`)
      if (ms > maxMs) throw expected(`at most ${formatDuration(maxMs)}`)
      return ms
    },
    format: formatDuration,
  }
}

/** `10GiB`, `500MiB`, `0`; stored in bytes. */
export function bytes(): ValueKind<number> {
  return {
    hint: 'bytes',
    parse(value) {
      const size = parseBytes(value)
      if (size === undefined) throw expected('a size such as 10GiB or 500MiB')
      return size
    },
    format: formatBytes,
  }
}

const TRUE = ['1', 'true', 'yes', 'on']
const FALSE = ['0', 'false', 'no', 'off']

/** A switch: `1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`, in any case; a bare flag means true. */
export function bool(): ValueKind<boolean> {
  return {
    hint: '',
    parse(value) {
      const lower = value.trim().toLowerCase()
      if (TRUE.includes(lower)) return true
      if (FALSE.includes(lower)) return false
      throw expected('true or false')
    },
    format: String,
  }
}

/** One of a fixed set of words. */
export function choice<const T extends string>(options: readonly T[]): ValueKind<T> {
  return {
    hint: options.join('|'),
    choices: options,
    parse(value) {
      const found = options.find((option) => option === value.trim())
      if (found === undefined) throw expected(`one of ${options.join(', ')}`)
      return found
    },
    format: unchanged,
  }
}

/** An IPv4 or IPv6 address. */
export function ipAddress(): ValueKind<string> {
  return {
    hint: 'ip',
    parse(value) {
      if (isIP(value) === 0) throw expected('an IPv4 or IPv6 address such as 10.0.0.5')
      return value
    },
    format: unchanged,
  }
}

/** An address or a block of addresses in CIDR form. */
export function network(): ValueKind<Network> {
  return {
    hint: 'network',
    parse(value) {
      const parsed = parseNetwork(value)
      if (!parsed) throw expected('a network such as 10.0.0.0/8 or 2001:db8::/32, or an IP address')
      return parsed
    },
    format: ({ text }) => text,
  }
}

/** The same kind, where empty text means that nothing is set. */
export function optional(kind: ValueKind<string>): ValueKind<string> {
  return { ...kind, parse: (value) => (value === '' ? '' : kind.parse(value)) }
}

/** An http or https address, as it was written. */
export function httpUrl(): ValueKind<string> {
  return {
    hint: 'url',
    parse(value) {
      const url = URL.canParse(value) ? new URL(value) : undefined
      // An address may hold a password, so the message does not repeat it.
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
        throw new ValueError('not an http or https address')
      }
      return value
    },
    format: unchanged,
  }
}

/** Values of another kind separated by commas. Empty text is an empty list; empty items are left out. */
export function list<T>(item: ValueKind<T>): ValueKind<T[]> {
  return listOf(item, (items) => items.filter((each) => each !== ''))
}

/** Values of another kind separated by single commas: at least one, and none empty. */
export function nonEmptyList<T>(item: ValueKind<T>): ValueKind<T[]> {
  return listOf(item, (items) => {
    if (items.includes('')) throw new ValueError('an item is empty; separate items by single commas')
    return items
  })
}

function listOf<T>(item: ValueKind<T>, accept: (items: string[]) => string[]): ValueKind<T[]> {
  return {
    hint: `${item.hint},…`,
    parse: (value) => {
      const items = accept(value.split(',').map((each) => each.trim()))
      // The report of the error shows the text of a single item.
      if (items.length === 1) return items.map((each) => item.parse(each))
      return items.map((each, at) => {
        const read = readValue(item, each, () => item.parse(each))
        if (!read.bad) return read.value
        const { shownValue, reason } = read.bad
        throw new ValueError(`item ${at + 1}${shownValue === '' ? '' : ` (${shownValue})`}: ${reason}`)
      })
    },
    format: (values) => values.map((each) => item.format(each)).join(','),
  }
}

/** A token bucket, in requests per second; a burst of 0 switches the limit off. */
export interface RateLimit {
  perSecond: number
  burst: number
}

/** `20:60` = 20 requests per second after a burst of 60; `0` = no limit. */
export function rate(): ValueKind<RateLimit> {
  return {
    hint: 'rate:burst',
    parse(value) {
      if (value.trim() === '0') return { perSecond: 0, burst: 0 }
      const match = /^(\d+(?:\.\d+)?):(\d+)$/.exec(value.trim())
      const limit = { perSecond: Number(match?.[1]), burst: Number(match?.[2]) }
      if (!match || limit.burst < 1 || limit.perSecond <= 0) {
        throw expected('requests per second and burst such as 20:60, or 0')
      }
      return limit
    },
    format: (value) => (value.burst === 0 ? '0' : `${value.perSecond}:${value.burst}`),
  }
}
