import { expected } from './value-error.ts'

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Reads `720h`, `30m`, `90s`, `250ms`, `1h30m` or `0` into milliseconds.
 * @throws ValueError when the text is not a duration.
 */
export function parseDuration(text: string): number {
  const trimmed = text.trim()
  if (trimmed === '0') return 0
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) {
    throw expected('a duration such as 720h, 30m or 90s')
  }
  let total = 0
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * UNITS[unit as keyof typeof UNITS]
  }
  if (!Number.isSafeInteger(Math.round(total))) {
    throw expected('at most 1000000h')
  }
  return Math.round(total)
}

/** Writes milliseconds in the largest unit that divides them: 5000 → `5s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0'
  for (const unit of ['h', 'm', 's'] as const) if (ms % UNITS[unit] === 0) return `${ms / UNITS[unit]}${unit}`
  return `${ms}ms`
}
