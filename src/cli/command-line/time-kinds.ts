import {
  expected,
  fromTimestamp,
  parseDuration,
  systemClock,
  toTimestamp,
  type ValueKind,
} from '../../base/index.ts'

/** A moment such as `2026-01-31` or `2026-01-31 09:00Z`; ms since the epoch. */
export function moment(): ValueKind<number> {
  return {
    hint: 'time',
    parse(text) {
      const at = fromTimestamp(text)
      if (at === undefined) throw expected('a time such as 2026-01-31 or 2026-01-31 09:00Z')
      return at
    },
    format: toTimestamp,
  }
}

/** A moment, or an age such as `24h`; ms since the epoch. */
export function momentOrAge(): ValueKind<number> {
  return {
    hint: 'time',
    parse(text) {
      const at = /^\d.*[a-z]$/.test(text) ? systemClock.now() - parseDuration(text) : fromTimestamp(text)
      if (at === undefined) throw expected('a time such as 2026-01-31 or an age such as 24h')
      return at
    },
    format: toTimestamp,
  }
}
