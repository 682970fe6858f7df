import { useEffect, useRef } from 'preact/hooks'
import { rangeOf } from '../jobs/signals.ts'
import { formatCount } from '../lib/format.ts'
import { useWidth } from './use-width.ts'

const MARGIN = { top: 12, right: 12, bottom: 34, left: 64 }
const MAX_SIDE_PX = 520
const POINT_PX = 2

interface IqProps {
  re: Float64Array
  im: Float64Array
  name: string
  /** Changes when colors change. */
  theme: string
}

/** Points in the complex plane, with their mean; both axes have the same scale. */
export function Iq({ re, im, name, theme }: IqProps) {
  const { box, width } = useWidth()
  const canvas = useRef<HTMLCanvasElement>(null)
  const side = Math.min(MAX_SIDE_PX, width.value)
  useEffect(() => {
    if (canvas.current && side > 0) draw(canvas.current, side, re, im)
  }, [re, im, side, theme])
  const [meanRe, meanIm] = [meanOf(re), meanOf(im)]
  return (
    <div ref={box} class="plot iq">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${name}: ${formatCount(re.length)} points in the IQ plane, mean at I ${short(meanRe)}, Q ${short(meanIm)}`}
      />
    </div>
  )
}

function draw(canvas: HTMLCanvasElement, side: number, re: Float64Array, im: Float64Array): void {
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
  const { x, y, ticks } = scalesOf(re, im, plot)
  context.font = `12px ${style.fontFamily}`
  drawGrid(context, { ...plot, x, y, ticks }, color)
  context.fillStyle = color('accent')
  context.globalAlpha = re.length > 2_000 ? 0.3 : 0.6
  for (let index = 0; index < re.length; index++) {
    context.fillRect(x(re[index] ?? 0) - POINT_PX / 2, y(im[index] ?? 0) - POINT_PX / 2, POINT_PX, POINT_PX)
  }
  context.globalAlpha = 1
  drawMean(context, x(meanOf(re)), y(meanOf(im)), color('copper'))
}

interface Plot {
  left: number
  top: number
  size: number
}

function scalesOf(re: Float64Array, im: Float64Array, { left, top, size }: Plot) {
  const [[reMin, reMax], [imMin, imMax]] = [rangeOf([re]), rangeOf([im])]
  const span = Math.max(reMax - reMin, imMax - imMin) * 1.1 || 1
  const [first, second] = [(reMin + reMax - span) / 2, (imMin + imMax - span) / 2]
  return {
    x: (value: number) => left + ((value - first) / span) * size,
    y: (value: number) => top + size - ((value - second) / span) * size,
    ticks: { re: ticksWithin(first, first + span), im: ticksWithin(second, second + span) },
  }
}

type Scales = ReturnType<typeof scalesOf>

function drawGrid(
  context: CanvasRenderingContext2D,
  { left, top, size, x, y, ticks }: Plot & Scales,
  color: (name: string) => string,
): void {
  context.strokeStyle = color('line')
  context.fillStyle = color('ink2')
  context.textAlign = 'center'
  for (const tick of ticks.re) {
    context.strokeRect(x(tick), top, 0, size)
    context.fillText(short(tick), x(tick), top + size + 15)
  }
  context.fillText('I', left + size / 2, top + size + 30)
  context.textAlign = 'right'
  for (const tick of ticks.im) {
    context.strokeRect(left, y(tick), size, 0)
    context.fillText(short(tick), left - 6, y(tick) + 4)
  }
  context.fillText('Q', 12, top + size / 2)
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

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
}

function short(value: number): string {
  return String(Number(value.toPrecision(3))).replace('-', '−')
}
