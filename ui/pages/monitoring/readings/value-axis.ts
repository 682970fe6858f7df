import { formatReadingLimit } from '../../../lib/reading.ts'

/** How the values of a unit are drawn: together, in a plot per channel, or between two values. */
export type ValueAxis = 'log' | 'linear' | 'each' | readonly [number, number]

const WORDS = { log: 'Logarithmic', linear: 'Linear', each: 'One plot per channel' } as const

/** The chosen axis of each unit from the address, `K:each` or `K:0.009..0.013`; others are ignored. */
export function readAxes(texts: readonly string[]): Map<string, ValueAxis> {
  return new Map(
    texts.flatMap((text): [string, ValueAxis][] => {
      const end = text.lastIndexOf(':')
      const [unit, chosen] = [text.slice(0, end), text.slice(end + 1)]
      if (chosen === 'log' || chosen === 'linear' || chosen === 'each') return [[unit, chosen]]
      const [low, high, ...others] = chosen
        .split('..')
        .map((part) => (part === '' ? Number.NaN : Number(part)))
      const isRange = low !== undefined && high !== undefined && others.length === 0 && low < high
      return isRange && Number.isFinite(high - low) ? [[unit, [low, high]]] : []
    }),
  )
}

/** The parameters of the address in which one unit has another axis; undefined = the usual one. */
export function changeAxis(texts: readonly string[], unit: string, axis: ValueAxis | undefined): string[] {
  const others = texts.filter((text) => text.slice(0, text.lastIndexOf(':')) !== unit)
  if (axis === undefined) return others
  return [...others, `${unit}:${typeof axis === 'string' ? axis : axis.join('..')}`]
}

/** An axis in words. */
export function describeAxis(axis: ValueAxis, unit: string): string {
  if (typeof axis === 'string') return WORDS[axis]
  return axis.map((value) => formatReadingLimit(value, unit, 2)).join(' to ')
}
