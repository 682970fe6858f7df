/** The ramp of maps: cividis, which stays readable with every kind of color vision. Dark is worse. */
const STOPS = ['#00204c', '#414d6b', '#7c7b78', '#bbaf71', '#ffe945'] as const

/** Relative luminance below which white has the higher contrast; both colors then have at least 4.5 : 1. */
const DARK_BELOW = 0.18

type Channels = [red: number, green: number, blue: number]

/** The color of a place on the ramp, 0 (worst) to 1 (best), as `#rrggbb`. */
export function rampColor(share: number): string {
  const at = Math.min(1, Math.max(0, share)) * (STOPS.length - 1)
  const index = Math.min(STOPS.length - 2, Math.floor(at))
  const [low, high] = [channelsOf(STOPS[index] ?? ''), channelsOf(STOPS[index + 1] ?? '')]
  const mixed = low.map((value, channel) => Math.round(value + ((high[channel] ?? 0) - value) * (at - index)))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** The color of text on a color: pure black or pure white, with a contrast of at least 4.5 : 1. */
export function labelColor(background: string): string {
  return luminance(background) < DARK_BELOW ? '#ffffff' : '#000000'
}

/** The contrast of two colors by WCAG, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: string): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Channels
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): Channels {
  return [1, 3, 5].map((from) => Number.parseInt(color.slice(from, from + 2), 16)) as Channels
}

/** How values become places on the ramp. */
export interface Scale {
  low: number
  high: number
  /** Whether equal ratios, not equal differences, have equal distances. */
  log: boolean
  /** Whether low values are the better ones. */
  inverted: boolean
}

/** The scale of these values; `log` only if all are positive. Undefined without values. */
export function scaleOf(
  values: readonly number[],
  { log, inverted }: { log: boolean; inverted: boolean },
): Scale | undefined {
  if (values.length === 0) return undefined
  const low = Math.min(...values)
  const high = Math.max(...values)
  return { low, high, log: log && low > 0, inverted }
}

/** The position of a value between the lowest (0) and the highest (1); equal values are in the middle. */
export function positionOn({ low, high, log }: Scale, value: number): number {
  if (!(high > low)) return 0.5
  // First the ends: ratios of values that are very far apart are infinite.
  if (value <= low) return 0
  if (value >= high) return 1
  // Of neighboring numbers it can be 1, whose logarithm is no divisor.
  const span = log ? Math.log(high / low) : 0
  const share = span > 0 ? Math.log(value / low) / span : (value - low) / (high - low)
  return Math.min(1, Math.max(0, share))
}

/** The place of a value on the ramp. */
export function rampPlace(scale: Scale, value: number): number {
  const position = positionOn(scale, value)
  return scale.inverted ? 1 - position : position
}
