import { useEffect, useRef } from 'preact/hooks'
import { meanOf } from '../../src/base/portable/mean.ts'
import type { Discriminator, Points } from '../jobs/readout/discriminate.ts'
import type { Cloud } from '../jobs/readout/read-out.ts'
import { rangeOf } from '../jobs/signals.ts'
import { formatCount } from '../lib/format.ts'
import { useWidth } from './PlotBox.tsx'

const MARGIN = { top: 12, right: 12, bottom: 34, left: 64 }
const MAX_SIDE_PX = 520
const POINT_PX = 2

interface IqProps {
  clouds: readonly Cloud[]
  /** The line between the sides of 0 and 1. */
  line: Discriminator | undefined
  name: string
  unit: string
  /** Changes when colors change. */
  theme: string
}

/** Colors of the clouds of 0 and of 1, which are crosses. */
const COLORS = ['accent', 'copper'] as const

/** Points in the complex plane, with the mean of each cloud; both axes have the same scale. */
export function Iq({ clouds, line, name, unit, theme }: IqProps) {
  const { box, width } = useWidth()
  const canvas = useRef<HTMLCanvasElement>(null)
  const side = Math.min(MAX_SIDE_PX, width.value)
  useEffect(() => {
    if (canvas.current && side > 0) draw(canvas.current, side, { clouds, line, unit })
  }, [clouds, line, side, theme])
  return (
    <div ref={box} class="plot iq">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${name}: ${clouds.map(describeCloud).join('; ')}${line ? '; dashed: threshold' : ''}`}
      />
    </div>
  )
}

function describeCloud({ label, re, im }: Cloud): string {
  const of = label && `, ${label}`
  return `${formatCount(re.length)} points in the IQ plane${of}, mean at I ${short(meanOf(re))}, Q ${short(meanOf(im))}`
}

function draw(
  canvas: HTMLCanvasElement,
  side: number,
  { clouds, line, unit }: Pick<IqProps, 'clouds' | 'line' | 'unit'>,
): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const ratio = devicePixelRatio || 1
  canvas.width = side * ratio
  canvas.height = side * ratio
  canvas.style.width = `${side}px`
  canvas.style.height = `${side}px`
  context.scale(ratio, ratio)
  const style = getComputedStyle(canvas)
  const color = (name: string) => style.getPropertyValue(`--${name}`)
  const plot = {
    left: MARGIN.left,
    top: MARGIN.top,
    size: Math.min(side - MARGIN.left - MARGIN.right, side - MARGIN.top - MARGIN.bottom),
  }
  const scales = scalesOf(clouds, plot)
  context.font = `12px ${style.fontFamily}`
  drawGrid(context, { ...plot, ...scales, unit }, color)
  for (const cloud of clouds)
    drawCloud(context, cloud, { ...scales, color: color(COLORS[cloud.state]), isCross: cloud.state === 1 })
  for (const { re, im } of clouds) drawMean(context, scales.x(meanOf(re)), scales.y(meanOf(im)), color('ink'))
  if (line) drawLine(context, line, { ...plot, ...scales }, color('ink'))
}

function drawCloud(
  context: CanvasRenderingContext2D,
  { re, im }: Points,
  { x, y, color, isCross }: Pick<Scales, 'x' | 'y'> & { color: string; isCross: boolean },
): void {
  context.fillStyle = color
  context.strokeStyle = color
  context.lineWidth = 1
  context.globalAlpha = re.length > 2_000 ? 0.3 : 0.6
  context.beginPath()
  for (const [shot, value] of re.entries()) {
    const [left, top] = [x(value) - POINT_PX / 2, y(im[shot] ?? 0) - POINT_PX / 2]
    if (!isCross) context.fillRect(left, top, POINT_PX, POINT_PX)
    else {
      context.moveTo(left - 1, top - 1)
      context.lineTo(left + POINT_PX + 1, top + POINT_PX + 1)
      context.moveTo(left + POINT_PX + 1, top - 1)
      context.lineTo(left - 1, top + POINT_PX + 1)
    }
  }
  context.stroke()
  context.globalAlpha = 1
}

/** The points whose rotated real part is the threshold, across the plot. */
function drawLine(
  context: CanvasRenderingContext2D,
  { rotation, threshold }: Discriminator,
  { left, top, size, x, y, reach }: Plot & Scales,
  color: string,
): void {
  const [cos, sin] = [Math.cos((rotation * Math.PI) / 180), Math.sin((rotation * Math.PI) / 180)]
  const along = (far: number) => [x(threshold * cos + far * sin), y(-threshold * sin + far * cos)] as const
  // The foot of the line may be far outside: both ends reach across from there.
  const far = 2 * reach + Math.abs(threshold)
  context.save()
  context.beginPath()
  context.rect(left, top, size, size)
  context.clip()
  context.strokeStyle = color
  context.lineWidth = 1.5
  context.setLineDash([6, 4])
  context.beginPath()
  context.moveTo(...along(-far))
  context.lineTo(...along(far))
  context.stroke()
  context.restore()
}

interface Plot {
  left: number
  top: number
  size: number
}

function scalesOf(clouds: readonly Points[], { left, top, size }: Plot) {
  const [reMin, reMax] = rangeOf(clouds.map(({ re }) => re))
  const [imMin, imMax] = rangeOf(clouds.map(({ im }) => im))
  const span = Math.max(reMax - reMin, imMax - imMin) * 1.1 || 1
  const [first, second] = [(reMin + reMax - span) / 2, (imMin + imMax - span) / 2]
  return {
    x: (value: number) => left + ((value - first) / span) * size,
    y: (value: number) => top + size - ((value - second) / span) * size,
    span,
    /** The farthest distance of a shown value from 0. */
    reach: Math.max(Math.abs(first), Math.abs(second)) + span,
    ticks: { re: ticksWithin(first, first + span), im: ticksWithin(second, second + span) },
  }
}

type Scales = ReturnType<typeof scalesOf>

function drawGrid(
  context: CanvasRenderingContext2D,
  { left, top, size, x, y, ticks, unit }: Plot & Scales & { unit: string },
  color: (name: string) => string,
): void {
  context.strokeStyle = color('line')
  context.fillStyle = color('ink2')
  context.textAlign = 'center'
  for (const tick of ticks.re) {
    context.strokeRect(x(tick), top, 0, size)
    context.fillText(short(tick), x(tick), top + size + 15)
  }
  context.fillText(`I, ${unit}`, left + size / 2, top + size + 30)
  context.textAlign = 'right'
  for (const tick of ticks.im) {
    context.strokeRect(left, y(tick), size, 0)
    context.fillText(short(tick), left - 6, y(tick) + 4)
  }
  context.textAlign = 'left'
  context.fillText(`Q, ${unit}`, 4, top + size + 30)
  context.strokeStyle = color('edge')
  context.strokeRect(left, top, size, size)
}

function drawMean(context: CanvasRenderingContext2D, x: number, y: number, color: string): void {
  context.strokeStyle = color
  context.lineWidth = 2
  context.beginPath()
  context.moveTo(x - 8, y)
  context.lineTo(x + 8, y)
  context.moveTo(x, y - 8)
  context.lineTo(x, y + 8)
  context.stroke()
}

/** About four round values between two others. */
function ticksWithin(least: number, largest: number): number[] {
  const rough = (largest - least) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
  const ticks: number[] = []
  for (let index = Math.ceil(least / step); index * step <= largest; index++) ticks.push(index * step)
  return ticks
}

function short(value: number): string {
  return String(Number(value.toPrecision(3))).replace('-', '−')
}
