import { useSignal } from '@preact/signals'
import type { Job } from '../api/model.ts'
import { type BarOrder, MAX_PLOTTED_OUTCOMES, toBars, toCsv } from '../jobs/counts.ts'
import { countsOf } from '../jobs/jobs.ts'
import { formatCount, formatShare } from '../lib/format.ts'
import { Histogram } from '../plots/Histogram.tsx'
import { Empty, Panel } from './Panel.tsx'

const MAX_BARS = 32
/** Rows of the table; the download contains all of them. */
const MAX_ROWS = 200

/** The counts of each circuit of a job: histogram, table and downloads. */
export function Counts({ job }: { job: Job }) {
  const circuits = countsOf(job)
  const chosen = useSignal(0)
  const order = useSignal<BarOrder>('outcome')
  const counts = circuits[chosen.value] ?? {}
  const outcomes = Object.keys(counts).length
  const shots = Object.values(counts).reduce((total, count) => total + count, 0)
  if (outcomes === 0 && circuits.length <= 1) {
    return (
      <Panel title="Counts">
        <Empty>This job has no counts: it measured signals instead of bits, or nothing at all.</Empty>
      </Panel>
    )
  }
  return (
    <Panel title="Counts" aside={<Downloads job={job} counts={counts} circuit={chosen.value} />}>
      <div class="padded">
        <div class="toolbar">
          {circuits.length > 1 && (
            <label>
              Circuit{' '}
              <select
                value={chosen.value}
                onChange={({ currentTarget }) => {
                  chosen.value = Number(currentTarget.value)
                }}
              >
                {circuits.map((_, index) => (
                  <option key={index} value={index}>
                    {index + 1} of {circuits.length}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label>
            Order{' '}
            <select
              value={order.value}
              onChange={({ currentTarget }) => {
                order.value = currentTarget.value === 'count' ? 'count' : 'outcome'
              }}
            >
              <option value="outcome">by outcome</option>
              <option value="count">by count</option>
            </select>
          </label>
        </div>
        {outcomes <= MAX_PLOTTED_OUTCOMES && (
          <>
            <Histogram counts={counts} order={order.value} maxBars={MAX_BARS} height={260} />
            <p class="caption">Counts of {formatCount(shots)} shots, whiskers ± 2σ. Bit 0 is on the right.</p>
          </>
        )}
        <details open={outcomes > MAX_PLOTTED_OUTCOMES}>
          <summary>Table of {formatCount(outcomes)} outcomes</summary>
          <CountTable counts={counts} order={order.value} outcomes={outcomes} />
        </details>
      </div>
    </Panel>
  )
}

function CountTable({
  counts,
  order,
  outcomes,
}: {
  counts: Record<string, number>
  order: BarOrder
  outcomes: number
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by key
    <section class="scroll tall" aria-label="Counts as a table" tabIndex={0}>
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
          {toBars(counts, order, outcomes > MAX_ROWS ? MAX_ROWS : outcomes).map(({ label, count, share }) => (
            <tr key={label}>
              <th scope="row">
                <code>{label}</code>
              </th>
              <td class="number">{formatCount(count)}</td>
              <td class="number">{formatShare(share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Downloads({ job, counts, circuit }: { job: Job; counts: Record<string, number>; circuit: number }) {
  return (
    <div class="actions">
      <button
        type="button"
        onClick={() => save(`${job.id}.json`, 'application/json', JSON.stringify(job.results, null, 2))}
      >
        JSON
      </button>
      <button type="button" onClick={() => save(`${job.id}-${circuit + 1}.csv`, 'text/csv', toCsv(counts))}>
        CSV
      </button>
    </div>
  )
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
