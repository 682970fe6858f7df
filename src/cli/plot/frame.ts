/** A text at a row or a column of a plot. */
export interface Tick {
  at: number
  text: string
}

interface Framed {
  /** Lines of the plot, all of the same width. */
  body: readonly string[]
  /** Width of the body in characters; escape codes have none. */
  width: number
  /** Name and unit of each axis. */
  xTitle: string
  yTitle: string
  xTicks: readonly Tick[]
  yTicks: readonly Tick[]
}

/** Columns that the labels of the vertical axis and the axis itself take. */
export const Y_LABEL_WIDTH = 9

/** Draws the axes of a plot with their labels around its lines. */
export function frame({ body, width, xTitle, yTitle, xTicks, yTicks }: Framed): string[] {
  const labels = new Map(yTicks.map(({ at, text }) => [at, text]))
  const rows = body.map((line, row) => {
    const label = labels.get(row)
    return `${(label ?? '').padStart(Y_LABEL_WIDTH - 2)} ${label === undefined ? '│' : '┤'}${line}`
  })
  const marks = Array.from({ length: width }, (_, at) => (xTicks.some((tick) => tick.at === at) ? '┬' : '─'))
  return [
    `${' '.repeat(Y_LABEL_WIDTH)}${yTitle}`,
    ...rows,
    `${' '.repeat(Y_LABEL_WIDTH - 1)}└${marks.join('')}`,
    `${' '.repeat(Y_LABEL_WIDTH)}${labelLine(xTicks, width)}`.trimEnd(),
    `${' '.repeat(Y_LABEL_WIDTH)}${xTitle.padStart(Math.ceil((width + xTitle.length) / 2))}`,
  ]
}

/** The labels of the horizontal axis, each below its mark; one that would touch the last one is left out. */
function labelLine(ticks: readonly Tick[], width: number): string {
  let line = ''
  for (const { at, text } of ticks) {
    const start = Math.max(0, Math.min(width - text.length, at - Math.floor(text.length / 2)))
    if (line !== '' && start <= line.length) continue
    line = line.padEnd(start) + text
  }
  return line
}

/** Name and unit of an axis: `delay (µs)`. */
export function axisTitle(name: string, unit: string): string {
  return unit === '' ? name : `${name} (${unit})`
}
