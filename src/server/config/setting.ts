import { isIP } from 'node:net'
import { AppError, formatDuration, parseDuration } from '../../base/index.ts'

/** How the text of a flag, variable or config key becomes a value. */
export interface Kind<T> {
  /** Placeholder in `--help`; empty for switches. */
  hint: string
  /** Throws AppError `invalid` whose message says what is accepted. */
  parse(text: string): T
  format(value: T): string
}

/** One configurable value: see `SETTINGS` in `config.ts`. */
export interface Setting<T> {
  kind: Kind<T>
  default: T
  help: string
  /** Masked in listings of the effective configuration. */
  secret: boolean
}

/** Declares a setting; its flag, variable and config key follow from its name. */
export function setting<T>(kind: Kind<T>, defaultText: string, help: string, secret = false): Setting<T> {
  return { kind, default: kind.parse(defaultText), help, secret }
}

/** Any text, optionally of a fixed form. */
export function text(hint = 'text', form?: { pattern: RegExp; expected: string }): Kind<string> {
  return {
    hint,
    parse(value) {
      if (form && !form.pattern.test(value)) throw new AppError('invalid', `expected ${form.expected}`)
      return value
    },
    format: (value) => value,
  }
}

/** A whole number within bounds, inclusive. */
export function integer(min: number, max: number): Kind<number> {
  return {
    hint: 'n',
    parse(value) {
      const number = Number(value)
      if (!/^-?\d+$/.test(value.trim()) || number < min || number > max) {
        throw new AppError('invalid', `expected a whole number from ${min} to ${max}`)
      }
      return number
    },
    format: String,
  }
}

/** `720h`, `30m`, `90s`; kept in milliseconds. */
export function duration(minMs = 0): Kind<number> {
  return {
    hint: 'duration',
    parse(value) {
      const ms = parseDuration(value)
      if (ms < minMs) throw new AppError('invalid', `expected at least ${formatDuration(minMs)}`)
      return ms
    },
    format: formatDuration,
  }
}

/** A switch; a bare flag means true. */
export function bool(): Kind<boolean> {
  return {
    hint: '',
    parse(value) {
      const lower = value.trim().toLowerCase()
      if (['1', 'true', 'yes', 'on'].includes(lower)) return true
      if (['0', 'false', 'no', 'off'].includes(lower)) return false
      throw new AppError('invalid', 'expected true or false')
    },
    format: String,
  }
}

/** One of a fixed set of words. */
export function choice<const T extends string>(options: readonly T[]): Kind<T> {
  return {
    hint: options.join('|'),
    parse(value) {
      const found = options.find((option) => option === value.trim())
      if (!found) throw new AppError('invalid', `expected one of ${options.join(', ')}`)
      return found
    },
    format: (value) => value,
  }
}

/** An IPv4 or IPv6 address. */
export function ipAddress(): Kind<string> {
  return {
    hint: 'ip',
    parse(value) {
      if (isIP(value) === 0)
        throw new AppError('invalid', 'expected an IPv4 or IPv6 address such as 10.0.0.5')
      return value
    },
    format: (value) => value,
  }
}

/** Words separated by commas; empty text is an empty list. */
export function list(): Kind<string[]> {
  return {
    hint: 'a,b',
    parse: (value) =>
      value
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
    format: (value) => value.join(','),
  }
}

/** A token bucket as `rate:burst`, in requests per second; `0` switches the limit off. */
export interface RateLimit {
  perSecond: number
  burst: number
}

/** `20:60` = 20 requests per second after a burst of 60; `0` = no limit. */
export function rate(): Kind<RateLimit> {
  return {
    hint: 'rate:burst',
    parse(value) {
      if (value.trim() === '0') return { perSecond: 0, burst: 0 }
      const match = /^(\d+(?:\.\d+)?):(\d+)$/.exec(value.trim())
      const limit = { perSecond: Number(match?.[1]), burst: Number(match?.[2]) }
      if (!match || limit.burst < 1 || limit.perSecond <= 0) {
        throw new AppError('invalid', 'expected requests per second and burst such as 20:60, or 0')
      }
      return limit
    },
    format: (value) => (value.burst === 0 ? '0' : `${value.perSecond}:${value.burst}`),
  }
}
