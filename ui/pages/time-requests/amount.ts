const UNITS: Readonly<Record<string, number>> = {
  s: 1,
  sec: 1,
  second: 1,
  seconds: 1,
  m: 60,
  min: 60,
  minute: 60,
  minutes: 60,
  h: 3_600,
  hour: 3_600,
  hours: 3_600,
}

/**
 * Reads an amount of time such as `1h 30m`, `90 min` or `45` (seconds) into s. Undefined for other text and
 * for nothing.
 */
export function parseAmount(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase()
  if (/^\d+([.,]\d+)?$/.test(trimmed)) return positive(numberOf(trimmed))
  if (!/^(\d+([.,]\d+)?\s*[a-z]+\s*)+$/.test(trimmed)) return undefined
  let seconds = 0
  for (const [, amount = '', unit = ''] of trimmed.matchAll(/(\d+(?:[.,]\d+)?)\s*([a-z]+)/g)) {
    const length = UNITS[unit]
    if (length === undefined) return undefined
    seconds += numberOf(amount) * length
  }
  return positive(seconds)
}

function numberOf(text: string): number {
  return Number(text.replace(',', '.'))
}

/** Rounded to ms, in which time is charged. */
function positive(seconds: number): number | undefined {
  const rounded = Math.round(seconds * 1_000) / 1_000
  return rounded > 0 ? rounded : undefined
}

/** An amount as it can be read again: `1h 30m`, `45s`. */
export function writeAmount(seconds: number): string {
  const whole = Math.floor(seconds / 60) * 60
  const rest = Math.round((seconds - whole) * 1_000) / 1_000
  const parts = [
    [Math.floor(whole / 3_600), 'h'],
    [(whole % 3_600) / 60, 'm'],
    [rest, 's'],
  ] as const
  const text = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount}${unit}`)
  return text.join(' ') || '0s'
}
