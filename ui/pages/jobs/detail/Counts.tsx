import { useSignal } from '@preact/signals'
import { type BarOrder, MAX_PLOTTED_OUTCOMES, toBars, totalOf } from '../../../jobs/counts.ts'
import { formatCount, formatShare } from '../../../lib/format.ts'
import { Histogram } from '../../../plots/Histogram.tsx'
import { ScrollRegion } from '../../../plots/ScrollRegion.tsx'
import { type BarUnit, OrderChoice, UnitChoice } from '../BarChoices.tsx'
import { Segments } from '../Segments.tsx'

const MAX_BARS = 32
/** Rows of the table; the download contains all of them. */
const MAX_ROWS = 200

/** The counts of one circuit as histogram and table. */
export function Counts({ counts }: { counts: Record<string, number> }) {
  const order = useSignal<BarOrder>('outcome')
  const unit = useSignal<BarUnit>('count')
  const scale = useSignal<'linear' | 'log'>('linear')
  const whiskers = useSignal(true)
  const outcomes = Object.keys(counts).length
  const isPlotted = outcomes <= MAX_PLOTTED_OUTCOMES
  return (
    <>
      <div class="toolbar">
        <OrderChoice value={order} />
        {isPlotted && (
          <>
            <UnitChoice value={unit} />
            <Segments
              label="Scale"
              value={scale}
              choices={[
                ['linear', 'Linear'],
                ['log', 'Log'],
              ]}
            />
            <label class="check">
              <input
                type="checkbox"
                checked={whiskers.value}
                onChange={({ currentTarget }) => {
                  whiskers.value = currentTarget.checked
                }}
              />
              Error bars
            </label>
          </>
        )}
      </div>
      {isPlotted ? (
        <div>
          <Histogram
            series={[{ name: '', counts }]}
            order={order.value}
            maxBars={MAX_BARS}
            height={260}
            unit={unit.value}
            scale={scale.value}
            whiskers={whiskers.value}
          />
          <p class="caption">
            {formatCount(totalOf(counts))} shots{whiskers.value && ', whiskers ± 2σ'}. Bit 0 is on the right.
          </p>
        </div>
      ) : (
        <p class="caption">
          {formatCount(outcomes)} outcomes are too many for a plot; the table has the most frequent ones.
        </p>
      )}
      <details open={!isPlotted}>
        <summary>
          Table of {formatCount(outcomes)} {outcomes === 1 ? 'outcome' : 'outcomes'}
        </summary>
        <CountTable counts={counts} order={order.value} />
      </details>
    </>
  )
}

function CountTable({ counts, order }: { counts: Record<string, number>; order: BarOrder }) {
  const { bars, other } = toBars(counts, order, MAX_ROWS)
  return (
    <ScrollRegion class="scroll tall" label="Counts as a table">
      <table class="book">
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col" class="number">
              Count
            </th>
            <th scope="col" class="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label, count, share }) => (
            <tr key={label}>
              <th scope="row">
                <code>{label}</code>
              </th>
              <td class="number">{formatCount(count)}</td>
              <td class="number">{formatShare(share)}</td>
            </tr>
          ))}
          {other && (
            <tr>
              <th scope="row">{formatCount(other.outcomes)} others</th>
              <td class="number">{formatCount(other.count)}</td>
              <td class="number">{formatShare(other.share)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
