import { useSignal } from '@preact/signals'
import { formatReading } from '../../lib/reading.ts'
import { ScrollRegion } from '../ScrollRegion.tsx'
import { indexAt, type PlotLine } from './align.ts'
import { formatCursor } from './time-axis.ts'

/** Rows of the table; a longer range is sampled. */
const MAX_ROWS = 60

interface DataTableProps {
  lines: readonly PlotLine[]
  unit: string
  from: number
  to: number
  timeZone: string
}

/** The values of a plot as a table, rendered when it is opened. */
export function DataTable({ lines, unit, from, to, timeZone }: DataTableProps) {
  const isOpen = useSignal(false)
  return (
    <details class="plot-data" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Values as a table</summary>
      {isOpen.value && (
        <ScrollRegion class="scroll tall" label="Values as a table">
          <table class="book">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {lines.map(({ key, label }) => (
                  <th key={key} scope="col" class="number">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sampleTimes(lines, from, to).map((time) => (
                <tr key={time}>
                  <th scope="row">{formatCursor(time, 0, timeZone)}</th>
                  {lines.map((line) => {
                    const index = indexAt(line, time)
                    const value = index === undefined ? undefined : line.mean[index]
                    return (
                      <td key={line.key} class="number">
                        {value === undefined ? '–' : formatReading(value, unit)}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </details>
  )
}

/** The times of the points in the range, or evenly chosen ones of them. */
function sampleTimes(lines: readonly PlotLine[], from: number, to: number): number[] {
  const all = [...new Set(lines.flatMap(({ at }) => at.filter((time) => time >= from && time <= to)))]
  all.sort((a, b) => a - b)
  const step = Math.max(1, Math.ceil(all.length / MAX_ROWS))
  return all.filter((_, index) => index % step === 0)
}
