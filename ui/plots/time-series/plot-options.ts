import type uPlot from 'uplot'
import { formatDecade, isPrefixed, readingParts } from '../../lib/reading.ts'
import type { PlotLine } from './align.ts'
import { drawBackground, drawForeground } from './draw.ts'
import { valueRange } from './scale.ts'
import { lineStyle, type Palette, type Scene } from './scene.ts'
import { timeLabels } from './time-axis.ts'

/** Width of the labels of values, equal for all plots, so that their time axes agree. */
const VALUES_PX = 68
const TIMES_PX = 34
const TICK_SPACE_PX = 78
const FAINT_DASH = [2, 2]

/** What a plot calls when the user points, drags or resets. Times in Unix ms. */
interface PlotActions {
  onCursor(time: number | undefined): void
  onZoom(from: number, to: number): void
  onReset(): void
}

interface PlotSize {
  width: number
  height: number
}

/** The options of uPlot for a scene. `scene` is called at each drawing, so that data may change in place. */
export function plotOptions(
  scene: () => Scene,
  { width, height }: PlotSize,
  { tzDate, palette, actions }: { tzDate: (ms: number) => Date; palette: Palette; actions: PlotActions },
): uPlot.Options {
  const { lines, scale, timeAxis } = scene()
  const font = `12px ${palette.sans}`
  const grid = { stroke: palette.line, width: 1 }
  return {
    width,
    height,
    ms: 1,
    tzDate,
    padding: [8, 20, timeAxis ? 0 : 8, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 6 },
      bind: {
        dblclick: () => () => {
          actions.onReset()
          return null
        },
      },
    },
    scales: {
      x: { time: true, auto: false, range: () => [scene().from, scene().to] },
      y: {
        distr: scale === 'log' ? 3 : 1,
        range: (_, low, high) => {
          const { limits, ends } = scene()
          if (ends !== undefined && ends !== 'lines') return [...ends]
          const beside = ends === 'lines' ? [] : limits.map(({ value }) => value)
          return valueRange(scale, [low ?? Number.NaN, high ?? Number.NaN, ...beside])
        },
      },
    },
    axes: [
      {
        size: timeAxis ? TIMES_PX : 0,
        space: TICK_SPACE_PX,
        font,
        stroke: palette.ink2,
        grid,
        ticks: { show: timeAxis, stroke: palette.ink, width: 1, size: 6 },
        border: { show: true, stroke: palette.ink, width: 1 },
        values: (_, splits, __, ___, stepMs) =>
          timeAxis ? timeLabels(splits, stepMs, scene().timeZone) : splits.map(() => ''),
      },
      {
        size: VALUES_PX,
        font,
        stroke: palette.ink2,
        grid: { ...grid, ...(scale === 'log' && { filter: onlyDecades }) },
        ticks: { stroke: palette.edge, width: 1, size: 4 },
        border: { show: true, stroke: palette.ink, width: 1 },
        values: (_, splits) => splits.map((value) => tickText(value, scene())),
      },
    ],
    series: [{}, ...lines.flatMap((line, index) => columnOptions(line, line.style ?? index, palette))],
    bands: lines.flatMap((line, index) => {
      if (line.min === undefined || line.max === undefined) return []
      const first = index * 3
      const { token } = lineStyle(line.style ?? index)
      return [{ series: [first + 3, first + 2] as [number, number], fill: withAlpha(palette[token], 0.22) }]
    }),
    hooks: {
      drawClear: [(plot) => drawBackground({ plot, scene: scene(), palette })],
      draw: [(plot) => drawForeground({ plot, scene: scene(), palette })],
      setCursor: [
        (plot) => {
          const left = plot.cursor.left ?? -1
          actions.onCursor(left < 0 ? undefined : plot.posToVal(left, 'x'))
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width: selected } = plot.select
          if (selected < 4) return
          actions.onZoom(plot.posToVal(left, 'x'), plot.posToVal(left + selected, 'x'))
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
    },
  }
}

/** The line of the mean, and the invisible edges of its band. */
function columnOptions({ isFaint }: PlotLine, style: number, palette: Palette): uPlot.Series[] {
  const { token, dash } = lineStyle(style)
  const edge: uPlot.Series = { stroke: 'transparent', width: 0, points: { show: false } }
  const lonely = (plot: uPlot, column: number, from: number, to: number) =>
    isSparse(plot.data[column] ?? [], from, to)
  const line: uPlot.Series = isFaint
    ? { stroke: withAlpha(palette[token], 0.75), width: 1, dash: FAINT_DASH }
    : { stroke: palette[token], width: 1.5, dash }
  return [{ ...line, points: { show: lonely, size: 4 } }, edge, edge]
}

/** Whether so few values are visible that a line alone would hide most of them. */
function isSparse(values: ArrayLike<number | null | undefined>, from: number, to: number): boolean {
  let present = 0
  for (let index = from; index <= to && present <= 24; index += 1) {
    if (typeof values[index] === 'number') present += 1
  }
  return present <= 24
}

function onlyDecades(_: uPlot, splits: number[]): (number | null)[] {
  return splits.map((value) => (isDecade(value) ? value : null))
}

function isDecade(value: number): boolean {
  const exponent = Math.log10(value)
  return Math.abs(exponent - Math.round(exponent)) < 1e-6
}

function tickText(value: number | null, { scale, unit }: Scene): string {
  if (value === null) return ''
  if (scale === 'log') return isDecade(value) ? formatDecade(value, unit) : ''
  const { number, unit: prefixed } = readingParts(value, isPrefixed(unit) ? unit : '', 6)
  const short = number.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
  return prefixed ? `${short}\u00a0${prefixed}` : short
}

/** A hexadecimal color with an opacity from 0 to 1. */
function withAlpha(color: string, alpha: number): string {
  const part = Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')
  return /^#[0-9a-f]{6}$/i.test(color) ? `${color}${part}` : color
}
