/** Ticks and positions of a value axis. */
export interface Axis {
  ticks: number[]
  /** The position of a value, from 0 at the lower end to 1 at the upper end; clamped. */
  at(value: number): number
}

/** Ticks from 0 to at least `highest`, in at most five round steps that are no smaller than `minStep`. */
export function linearTicks(highest: number, minStep = 0): number[] {
  const least = Math.max(highest / 5, minStep)
  if (!(least > 0)) return [0]
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10
  const step = factor * power
  const digits = Math.max(0, -Math.floor(Math.log10(step)))
  const ticks = [0]
  while ((ticks.at(-1) ?? 0) < highest * (1 - 1e-9)) ticks.push(Number((ticks.length * step).toFixed(digits)))
  return ticks
}

/** An axis from 0 to at least `highest`. */
export function linearAxis(highest: number, minStep = 0): Axis {
  const ticks = linearTicks(highest, minStep)
  const top = ticks.at(-1) || 1
  return { ticks, at: (value) => clamp(value / top) }
}

/** A logarithmic axis over whole decades that include both values. */
export function logAxis(lowest: number, highest: number): Axis {
  const first = Math.floor(Math.log10(lowest) + 1e-9)
  const last = Math.max(first + 1, Math.ceil(Math.log10(highest) - 1e-9))
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${first + index}`))
  return {
    ticks,
    at: (value) => (value <= 0 ? 0 : clamp((Math.log10(value) - first) / (last - first))),
  }
}

const clamp = (value: number) => Math.min(1, Math.max(0, value))
