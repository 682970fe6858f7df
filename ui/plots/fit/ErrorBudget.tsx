import { useWidth } from '../PlotBox.tsx'
import { roundTicks, tickText } from './ticks.ts'

/** The error of one gate by cause, in parts that add up. */
interface BudgetBar {
  target: string
  relaxation: number
  dephasing: number
  leakage: number
  coherent: number
  /** The measured error in words, with its uncertainty. */
  text: string
}

/** Parts of a bar in drawing order, with their names. */
const PARTS = [
  ['relaxation', 'T1 decay'],
  ['dephasing', 'dephasing'],
  ['leakage', 'leakage'],
  ['coherent', 'coherent'],
] as const

const ROW = 28
const LEFT = 64
const RIGHT = 96

/** Bars of gate errors, divided by cause; dephasing is hatched, what tuning can remove is copper. */
export function ErrorBudget({ bars, label }: { bars: readonly BudgetBar[]; label: string }) {
  const { box, width } = useWidth()
  return (
    <div ref={box} class="plot budget" style={{ minHeight: `${bars.length * ROW + 30}px` }}>
      {width.value > 0 && <Drawn bars={bars} label={label} width={width.value} />}
      <ul class="cluster">
        {PARTS.map(([part, name]) => (
          <li key={part}>
            <svg width="12" height="12" aria-hidden="true">
              <rect class={part} width="12" height="12" />
              {part === 'dephasing' && <path class="hatch" d="M0 12L12 0M-3 3L3 -3M9 15L15 9" />}
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Drawn({ bars, label, width }: { bars: readonly BudgetBar[]; label: string; width: number }) {
  const sumOf = (bar: BudgetBar) => PARTS.reduce((sum, [part]) => sum + bar[part], 0)
  const highest = Math.max(...bars.map(sumOf))
  const power = Math.floor(Math.log10(highest))
  const unit = 10 ** power
  const ticks = roundTicks(0, (highest / unit) * 1.05, 4)
  const end = Math.max(ticks.at(-1) ?? 1, (highest / unit) * 1.02)
  const x = (value: number) => LEFT + (value / unit / end) * (width - LEFT - RIGHT)
  const bottom = bars.length * ROW
  return (
    <svg role="img" aria-label={label} width={width} height={bottom + 24}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={x(tick * unit)} x2={x(tick * unit)} y1={0} y2={bottom} />
          <text x={x(tick * unit)} y={bottom + 16} class="mid">
            {tickText(tick, ticks)}
          </text>
        </g>
      ))}
      <text x={width} y={bottom + 16} class="end">
        × 10{superscript(power)}
      </text>
      {bars.map((bar, row) => {
        let start = 0
        return (
          <g key={bar.target}>
            <text x={0} y={row * ROW + ROW / 2} dy="0.32em" class="ink">
              {bar.target}
            </text>
            {PARTS.map(([part]) => {
              const [from, to] = [x(start), x(start + bar[part])]
              start += bar[part]
              return (
                <g key={part}>
                  <rect
                    class={part}
                    x={from}
                    y={row * ROW + 6}
                    width={Math.max(0, to - from)}
                    height={ROW - 12}
                  />
                  {part === 'dephasing' && (
                    <path class="hatch" d={hatch(from, to, row * ROW + 6, ROW - 12)} />
                  )}
                </g>
              )
            })}
            <text x={width} y={row * ROW + ROW / 2} dy="0.32em" class="end ink">
              {bar.text}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

/** Diagonal lines within a rectangle. */
function hatch(left: number, right: number, top: number, height: number): string {
  const lines: string[] = []
  for (let start = left - height; start < right; start += 6) {
    const from = Math.max(left, start)
    const to = Math.min(right, start + height)
    if (to > from)
      lines.push(`M${from} ${top + height - (from - start)}L${to} ${top + height - (to - start)}`)
  }
  return lines.join('')
}

function superscript(power: number): string {
  return [...String(power)].map((digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])).join('')
}
