import type uPlot from 'uplot'
import { findGaps } from './align.ts'
import { spreadLabels } from './scale.ts'
import type { MarkTone, Palette, PlotLimit, PlotTrend, Scene } from './scene.ts'

const LABEL_PX = 12
const LABEL_HEIGHT_PX = 15
/** Narrower gaps have no label. */
const MIN_GAP_LABEL_PX = 56
const HATCH_PX = 7

/** A plot with what it shows; lengths in canvas pixels unless they end in `Px`. */
interface Canvas {
  plot: uPlot
  scene: Scene
  palette: Palette
}

/** Draws what lies behind the lines: calibrations, maintenance and times without a reading. */
export function drawBackground({ plot, scene, palette }: Canvas): void {
  clipped(plot, (context, box) => {
    for (const { at, until, tone } of scene.marks) {
      if (until === undefined) continue
      const left = plot.valToPos(at, 'x', true)
      const width = Math.max(uPlotRatio(plot), plot.valToPos(until, 'x', true) - left)
      if (tone === 'stale') {
        context.fillStyle = palette['wash-warn']
        context.fillRect(left, box.top, width, box.height)
      } else hatch(context, { ...box, left, width }, palette[HATCHES[tone]], uPlotRatio(plot))
    }
  })
}

const HATCHES = { calibration: 'wash-run', maintenance: 'wash-warn', note: 'line' } as const
const MOMENTS: Record<MarkTone, keyof Palette> = {
  calibration: 'run',
  maintenance: 'warn',
  note: 'ink',
  stale: 'warn',
}

/** Draws what lies over the lines: moments, breaches, limits and labels. */
export function drawForeground(canvas: Canvas): void {
  const { plot, scene, palette } = canvas
  clipped(plot, (context, box) => {
    const ratio = uPlotRatio(plot)
    context.lineWidth = ratio
    context.setLineDash([2 * ratio, 3 * ratio])
    for (const { at, until, tone } of scene.marks) {
      if (until !== undefined) continue
      const x = plot.valToPos(at, 'x', true)
      context.strokeStyle = palette[MOMENTS[tone]]
      strokeLine(context, x, box.top, x, box.top + box.height)
    }
    for (const limit of scene.limits) drawBreaches(canvas, context, box, limit)
    for (const limit of scene.limits) drawLimit(canvas, context, box, limit)
    for (const trend of scene.trends) drawTrend(canvas, context, trend)
    drawLabels(canvas, context, box)
  })
}

/** Strokes the parts of lines beyond a limit once more, thicker and in red. */
function drawBreaches(
  { plot, scene, palette }: Canvas,
  context: CanvasRenderingContext2D,
  box: Box,
  limit: PlotLimit,
) {
  const y = plot.valToPos(limit.value, 'y', true)
  context.save()
  context.beginPath()
  if (limit.kind === 'above') context.rect(box.left, box.top, box.width, y - box.top)
  else context.rect(box.left, y, box.width, box.top + box.height - y)
  context.clip()
  context.setLineDash([])
  context.lineJoin = 'round'
  context.lineWidth = 3 * uPlotRatio(plot)
  context.strokeStyle = palette.bad
  scene.lines.forEach(({ key }, index) => {
    if (limit.line !== undefined && limit.line !== key) return
    const edge = limit.kind === 'above' ? 3 : 2
    for (const column of new Set([1, edge])) context.stroke(pathOf(plot, index * 3 + column))
  })
  context.restore()
}

/** The path of one column; undefined cells are passed over, null ones interrupt it. */
function pathOf(plot: uPlot, column: number): Path2D {
  const path = new Path2D()
  const [at = []] = plot.data
  const values = plot.data[column] ?? []
  let isOpen = false
  for (let index = 0; index < at.length; index += 1) {
    const value = values[index]
    if (value === null) isOpen = false
    if (value === null || value === undefined) continue
    const [x, y] = [plot.valToPos(at[index] ?? 0, 'x', true), plot.valToPos(value, 'y', true)]
    if (isOpen) path.lineTo(x, y)
    else path.moveTo(x, y)
    isOpen = true
  }
  return path
}

function drawLimit({ plot, palette }: Canvas, context: CanvasRenderingContext2D, box: Box, limit: PlotLimit) {
  const ratio = uPlotRatio(plot)
  const place = plot.valToPos(limit.value, 'y', true)
  // A limit beyond the axis is named at its end.
  const y = Math.min(box.top + box.height, Math.max(box.top, place))
  const beyond = place < y ? '↑ ' : place > y ? '↓ ' : ''
  context.setLineDash([5 * ratio, 4 * ratio])
  context.lineWidth = 1.3 * ratio
  context.strokeStyle = palette.bad
  if (!beyond) strokeLine(context, box.left, y, box.left + box.width, y)
  const isHigh = y - box.top < (LABEL_HEIGHT_PX + 4) * ratio
  const text = { x: box.left + box.width - 6 * ratio, y: isHigh ? y + 14 * ratio : y - 6 * ratio }
  context.font = fontOf(palette, ratio, true)
  const isNarrow = context.measureText(limit.label).width > box.width * 0.7
  writeText(context, palette, ratio, {
    ...text,
    text: beyond + ((isNarrow && limit.short) || limit.label),
    align: 'right',
    color: palette.bad,
    bold: true,
  })
}

/** A dashed line with its label above its right end, and above what the label covers of the line. */
function drawTrend(
  { plot, scene, palette }: Canvas,
  context: CanvasRenderingContext2D,
  { from, to, label }: PlotTrend,
) {
  const ratio = uPlotRatio(plot)
  const placeOf = ({ at, value }: PlotTrend['from']) =>
    [plot.valToPos(at, 'x', true), plot.valToPos(value, 'y', true)] as const
  const [[startX, startY], [x, y]] = [placeOf(from), placeOf(to)]
  context.setLineDash([7 * ratio, 4 * ratio])
  context.lineWidth = 1.5 * ratio
  context.strokeStyle = palette.copper
  strokeLine(context, startX, startY, x, y)
  context.font = fontOf(palette, ratio, true)
  const across = context.measureText(label).width / Math.max(1, x - startX)
  const highest = Math.min(y, y + (startY - y) * Math.min(1, across))
  // The labels of limits stand at the right end, too: this one is above those that it would cover.
  const height = LABEL_HEIGHT_PX * ratio
  const taken = scene.limits.map(({ value }) => plot.valToPos(value, 'y', true) - 6 * ratio)
  const free = taken
    .sort((one, other) => other - one)
    .reduce(
      (place, label) => (Math.abs(place - label) < height ? label - height : place),
      highest - 10 * ratio,
    )
  const text = { x: x - 6 * ratio, y: free, text: label }
  writeText(context, palette, ratio, { ...text, align: 'right', color: palette.copper, bold: true })
}

/** Labels of the lines at their left ends, and "no data" in the gaps that all lines share. */
function drawLabels({ plot, scene, palette }: Canvas, context: CanvasRenderingContext2D, box: Box) {
  const ratio = uPlotRatio(plot)
  const lines = scene.lines.filter(({ isFaint }) => !isFaint)
  const starts = lines.flatMap(({ label, at, mean }) => {
    const first = at.findIndex((time) => time >= scene.from)
    const value = mean[first]
    if (value === undefined || (scene.scale === 'log' && value <= 0)) return []
    const y = plot.valToPos(value, 'y', true) + 14 * ratio
    return [{ label, y }]
  })
  const places = spreadLabels(
    starts.map(({ y }) => y),
    LABEL_HEIGHT_PX * ratio,
    box.top + box.height - 4 * ratio,
  )
  starts.forEach(({ label }, index) => {
    const y = places[index] ?? 0
    writeText(context, palette, ratio, {
      x: box.left + 8 * ratio,
      y,
      text: label,
      color: palette.ink,
      bold: true,
    })
  })
  const limits = lines.map(({ gapMs }) => gapMs ?? Number.POSITIVE_INFINITY)
  const [at = []] = plot.data
  const present = Array.from(at).filter((_, index) =>
    plot.data.some(
      (column, number) => number > 0 && number <= 3 * lines.length && typeof column[index] === 'number',
    ),
  )
  for (const { from, to } of findGaps(present, Math.max(...limits, 0))) {
    const [left, right] = [plot.valToPos(from, 'x', true), plot.valToPos(to, 'x', true)]
    if (right - left < MIN_GAP_LABEL_PX * ratio) continue
    const x = (left + right) / 2
    const y = box.top + box.height - 8 * ratio
    writeText(context, palette, ratio, { x, y, text: 'no data', align: 'center', color: palette.ink2 })
  }
}

interface Box {
  left: number
  top: number
  width: number
  height: number
}

function uPlotRatio(plot: uPlot): number {
  return plot.ctx.canvas.width / plot.width
}

function clipped(plot: uPlot, draw: (context: CanvasRenderingContext2D, box: Box) => void): void {
  const { ctx: context, bbox: box } = plot
  context.save()
  context.beginPath()
  context.rect(box.left, box.top, box.width, box.height)
  context.clip()
  draw(context, box)
  context.restore()
}

function strokeLine(context: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  context.beginPath()
  context.moveTo(x, y)
  context.lineTo(toX, toY)
  context.stroke()
}

function hatch(context: CanvasRenderingContext2D, box: Box, color: string, ratio: number): void {
  context.save()
  context.beginPath()
  context.rect(box.left, box.top, box.width, box.height)
  context.clip()
  context.strokeStyle = color
  context.lineWidth = (HATCH_PX / 2) * ratio
  const step = HATCH_PX * Math.SQRT2 * ratio
  for (let x = box.left - box.height; x < box.left + box.width + step; x += step) {
    strokeLine(context, x, box.top + box.height, x + box.height, box.top)
  }
  context.restore()
}

interface Text {
  x: number
  y: number
  text: string
  color: string
  align?: CanvasTextAlign
  bold?: boolean
}

function fontOf(palette: Palette, ratio: number, bold: boolean): string {
  return `${bold ? 650 : 400} ${LABEL_PX * ratio}px ${palette.sans}`
}

/** Text with a rim in the color of the background, which keeps it legible over lines. */
function writeText(
  context: CanvasRenderingContext2D,
  palette: Palette,
  ratio: number,
  { x, y, text, color, align = 'left', bold = false }: Text,
): void {
  context.font = fontOf(palette, ratio, bold)
  context.textAlign = align
  context.setLineDash([])
  context.lineJoin = 'round'
  context.lineWidth = 4 * ratio
  context.strokeStyle = palette.surface
  context.strokeText(text, x, y)
  context.fillStyle = color
  context.fillText(text, x, y)
}
