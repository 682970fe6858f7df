import type { PlotLine } from './align.ts'
import type { ValueScale } from './scale.ts'

/** What a mark means; it selects its color. */
export type MarkTone = 'calibration' | 'maintenance' | 'note' | 'stale'

/** A moment, or a time with an end, marked in the plot. Unix ms. */
export interface PlotMark {
  at: number
  until?: number | undefined
  tone: MarkTone
}

/** A limit of the values of one line, or of all lines. */
export interface PlotLimit {
  value: number
  kind: 'above' | 'below'
  label: string
  /** The label where there is no space for the long one. */
  short?: string
  /** Key of the line; all lines if absent. */
  line?: string
}

/** A straight line through values, such as their drift. */
export interface PlotTrend {
  from: { at: number; value: number }
  to: { at: number; value: number }
  label: string
}

/** Everything that a plot of values over time shows. */
export interface Scene {
  lines: readonly PlotLine[]
  unit: string
  scale: ValueScale
  /** The ends of the value axis, or those of the lines without their limits; both if absent. */
  ends: readonly [number, number] | 'lines' | undefined
  /** Unix ms. */
  from: number
  to: number
  limits: readonly PlotLimit[]
  marks: readonly PlotMark[]
  trends: readonly PlotTrend[]
  /** Whether the ticks of the time axis are labeled; off for plots above another one. */
  timeAxis: boolean
  timeZone: string
}

/** Tokens of the colors of lines and the dashes that follow when the colors are used up. */
const COLORS = ['accent', 'run', 'warn', 'ink2', 'copper'] as const
const DASHES: readonly number[][] = [[], [6, 4], [2, 3]]

/** The token of the color and the dash of the line with this index. */
export function lineStyle(index: number): { token: (typeof COLORS)[number]; dash: number[] } {
  return {
    token: COLORS[index % COLORS.length] ?? 'accent',
    dash: DASHES[Math.floor(index / COLORS.length) % DASHES.length] ?? [],
  }
}

const TOKENS = [
  ...COLORS,
  'ink',
  'line',
  'edge',
  'surface',
  'bad',
  'wash-bad',
  'wash-warn',
  'wash-run',
] as const

/** The colors of the current theme by token, and the font. */
export type Palette = Record<(typeof TOKENS)[number] | 'sans', string>

/** Reads the tokens of the current theme; a canvas cannot use CSS variables. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement)
  const entries = [...TOKENS, 'sans' as const].map((name) => [
    name,
    style.getPropertyValue(`--${name}`).trim(),
  ])
  const palette: Partial<Palette> = Object.fromEntries(entries)
  // The wash of running work came later than the others.
  return { ...palette, 'wash-run': palette['wash-run'] || palette.line } as Palette
}
