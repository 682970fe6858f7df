/** No-break space: groups of digits must not be split across lines. */
const GROUP_SPACE = '\u00a0'

/** A whole number with a space between groups of three digits, from four digits on. */
export function formatCount(value: number): string {
  return groupDigits(String(Math.round(value)))
}

/** Puts spaces between groups of three digits before the decimal point. */
export function groupDigits(number: string): string {
  const [whole = '', ...fraction] = number.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, GROUP_SPACE), ...fraction].join('.')
}

/** Formats a duration in s with its relevant units: `0.84 s`, `12.3 s`, `1 h 12 min 40 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${trim(seconds, seconds < 1 ? 3 : 1)} s`
  const whole = Math.round(seconds)
  const parts = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'min'],
    [whole % 60, 's'],
  ] as const
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${formatCount(amount)} ${unit}`)
    .join(' ')
}

/** A duration in s for a column, whose values all have three decimals below one minute. */
export function formatColumnSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds.toFixed(3)} s` : formatSeconds(seconds)
}

function trim(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)))
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** A number of bytes with the unit that leaves one to three digits before the point: `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (Math.round(value) >= 1_000 && unit < BYTE_UNITS.length - 1) {
    value /= 1_000
    unit += 1
  }
  return `${trim(value, value < 10 && unit > 0 ? 1 : 0)} ${BYTE_UNITS[unit]}`
}

/**
 * Formats a share as a percentage with one decimal; shares below 0.1 % are shown as `< 0.1 %` instead of 0.
 */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.001) return '< 0.1 %'
  return `${(share * 100).toFixed(1)} %`
}

/** 1st, 2nd, 3rd, 4th, … */
export function formatOrdinal(value: number): string {
  const teens = value % 100 >= 11 && value % 100 <= 13
  const ending = teens ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')
  return `${value}${ending}`
}

const WORDS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** A count in words up to twelve and in digits above; 0 is `no`, for use before a noun. */
export function spellCount(value: number): string {
  return WORDS[value] ?? formatCount(value)
}

/** A count with its noun: `one job`, `no jobs`, `14 jobs`. */
export function formatNumberOf(value: number, noun: string): string {
  return `${spellCount(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** The same text with its first letter in upper case. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A title within a sentence: abbreviations such as QPU and T1 stay as they are. */
export function inSentence(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title
}

/** The beginning that all texts share, at most `max` characters of it. */
export function commonPrefix(texts: readonly string[], max: number): string {
  const [first = '', ...others] = texts
  let length = others.length === 0 ? 0 : Math.min(max, first.length)
  for (const text of others) {
    while (!text.startsWith(first.slice(0, length))) length -= 1
  }
  return first.slice(0, length)
}
