/** A text at a row or a column of a plot. */
interface Tick {
  at: number
  text: string
}

/** Name and unit of an axis, and its labels. */
export interface Axis {
  title: string
  ticks: readonly Tick[]
}

interface Framed {
  /** Lines of the plot, all of the same width. */
  body: readonly string[]
  /** Width of the body in characters; escape codes have none. */
  width: number
  bottom: Axis
  left: Axis
}

/** Columns that the labels of the vertical axis and the axis itself take. */
export const Y_LABEL_WIDTH = 9

/** Draws the axes of a plot with their labels around its lines. */
export function frame({ body, width, bottom, left }: Framed): string[] {
  const labels = new Map(left.ticks.map(({ at, text }) => [at, text]))
  const rows = body.map((line, row) => {
    const label = labels.get(row)
    return `${(label ?? '').padStart(Y_LABEL_WIDTH - 2)} ${label === undefined ? '│' : '┤'}${line}`
  })
  const { title, ticks } = bottom
  const marks = Array.from({ length: width }, (_, at) => (ticks.some((tick) => tick.at === at) ? '┬' : '─'))
  return [
    `${' '.repeat(Y_LABEL_WIDTH)}${left.title}`,
    ...rows,
    `${' '.repeat(Y_LABEL_WIDTH - 1)}└${marks.join('')}`,
    `${' '.repeat(Y_LABEL_WIDTH)}${labelLine(ticks, width)}`.trimEnd(),
    `${' '.repeat(Y_LABEL_WIDTH)}${title.padStart(Math.ceil((width + title.length) / 2))}`,
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
