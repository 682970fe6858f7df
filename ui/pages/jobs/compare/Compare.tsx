import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type Job, job as schema } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { useQuery } from '../../../app/use-query.ts'
import { useResource } from '../../../app/use-resource.ts'
import { compareCounts } from '../../../jobs/compare.ts'
import { describeComparison } from '../../../jobs/compare-text.ts'
import { type BarOrder, poolCounts } from '../../../jobs/counts.ts'
import { widthOf } from '../../../jobs/ideal/marginals.ts'
import { countsOf } from '../../../jobs/jobs.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { Select } from '../../../parts/form/form.tsx'
import { Breadcrumb, Empty, Heading, Loaded, Panel } from '../../../parts/Panel.tsx'
import { Differences } from '../../../plots/Differences.tsx'
import { Histogram } from '../../../plots/Histogram.tsx'
import { savePlot } from '../../../plots/save-plot.ts'
import { type BarUnit, OrderChoice, UnitChoice } from '../BarChoices.tsx'
import { CircuitChoice } from '../CircuitChoice.tsx'
import { Distances } from './Distances.tsx'
import { LargestDifferences } from './LargestDifferences.tsx'
import { WhatDiffers } from './WhatDiffers.tsx'

/** Jobs beside the first one. */
const MAX_OTHERS = 3

/** Two to four jobs side by side; distances and differences are those to the first. */
export function Compare({ first, others }: { first: string; others: readonly string[] }) {
  const { api } = useApp()
  const ids = [first, ...others.slice(0, MAX_OTHERS)]
  const jobs = useResource(
    (abort) => Promise.all(ids.map((id) => api.get(`/api/jobs/${encodeURIComponent(id)}`, schema, abort))),
    [ids.join()],
  )
  return (
    <>
      <Breadcrumb href="/jobs" list="Jobs">
        <a href={`/jobs/${first}`}>{first}</a> with {others.join(', ')}
      </Breadcrumb>
      <Loaded of={jobs} task="load these jobs" rows={8}>
        {(list) => <Comparison jobs={list} />}
      </Loaded>
    </>
  )
}

function Comparison({ jobs }: { jobs: readonly Job[] }) {
  const { router } = useApp()
  const query = useQuery()
  const order = useSignal<BarOrder>('outcome')
  const unit = useSignal<BarUnit>('probability')
  const circuit = useSignal(0)
  const plot = useRef<HTMLDivElement>(null)
  const circuits = Math.max(...jobs.map((job) => countsOf(job).length))
  const series = jobs.map((job) => ({ name: labelOf(job, jobs), counts: countsOf(job)[circuit.value] ?? {} }))
  const [first, ...rest] = series
  const [firstJob, ...otherJobs] = jobs
  if (!first || !firstJob) return null
  const comparisons = rest.map(({ name, counts }) => ({
    name,
    comparison: compareCounts(first.counts, counts),
  }))
  const main = comparisons[0]
  const widths = series.map(({ counts }) => widthOf(counts))
  const isUnequal = new Set(widths).size > 1 && !widths.includes(undefined)
  const hasCounts = !isUnequal && series.every(({ counts }) => Object.keys(counts).length > 0)
  const csv = () => {
    const outcomes = [...new Set(series.flatMap(({ counts }) => Object.keys(counts)))].sort()
    const rows = outcomes.map((outcome) => [outcome, ...series.map(({ counts }) => counts[outcome] ?? 0)])
    return [['outcome', ...jobs.map(({ id }) => id)], ...rows].map((row) => row.join(',')).join('\n')
  }
  const swap = () => {
    const [next, ...behind] = [...otherJobs, firstJob]
    if (next) router.go(`/jobs/${next.id}?with=${behind.map(({ id }) => id).join(',')}`)
  }
  const pooled = poolCounts(series.map(({ counts }) => counts))
  return (
    <>
      <Heading
        title={`Compare ${jobs.length} jobs`}
        lead={main && hasCounts ? describeComparison(main.comparison, main.name) : undefined}
      >
        <AddJob
          ids={jobs.map(({ id }) => id)}
          add={(id) => query.set({ with: [...otherJobs.map((job) => job.id), id].join(',') })}
        />
        <button type="button" onClick={swap}>
          Swap
        </button>
        <button
          type="button"
          onClick={() => saveFile(new Blob([csv()], { type: 'text/csv' }), 'comparison.csv')}
        >
          CSV
        </button>
        <button type="button" onClick={() => void savePlot(plot.current, 'comparison', 'svg')}>
          SVG
        </button>
      </Heading>
      {!hasCounts && (
        <Panel title="Counts">
          <Empty>
            {isUnequal
              ? `The registers have ${widths.join(' and ')} bits: their outcomes cannot be compared. Choose jobs that measure as many bits.`
              : 'One of these jobs has no counts, so there is nothing to compare.'}
          </Empty>
        </Panel>
      )}
      {hasCounts && <Distances comparisons={comparisons} />}
      <div class="columns compare">
        {hasCounts && (
          <Panel
            title="Counts"
            aside={
              <ul class="cluster legend">
                {series.map(({ name }, at) => (
                  <li key={name} class={`series-${at + 1}`}>
                    {name}
                  </li>
                ))}
              </ul>
            }
          >
            <div class="padded">
              <div class="toolbar">
                <UnitChoice value={unit} />
                <OrderChoice value={order} />
                {circuits > 1 && (
                  <CircuitChoice names={Array.from({ length: circuits }, () => '')} chosen={circuit} />
                )}
              </div>
              <div ref={plot}>
                <Histogram series={series} order={order.value} height={240} unit={unit.value} />
              </div>
              {main && (
                <>
                  <p class="caption">
                    Difference {main.name} − {first.name}, whiskers ± 2σ
                  </p>
                  <Differences
                    outcomes={main.comparison.outcomes}
                    histogram={{ counts: pooled, order: order.value }}
                  />
                  <p class="caption">Squares are more than 3σ apart. Bit 0 is on the right.</p>
                </>
              )}
            </div>
          </Panel>
        )}
        <WhatDiffers jobs={jobs} names={series.map(({ name }) => name)} />
      </div>
      {main && hasCounts && (
        <LargestDifferences comparison={main.comparison} names={[first.name, main.name]} />
      )}
    </>
  )
}

/** A job's name, or the end of its id; the id where names repeat. */
function labelOf(job: Job, jobs: readonly Job[]): string {
  const { id, name } = job
  const isUnique = name && jobs.filter((other) => other.name === name).length === 1
  return isUnique ? name : id.slice(-6)
}

function AddJob({ ids, add }: { ids: readonly string[]; add: (id: string) => void }) {
  const { jobs } = useApp()
  const offered = (jobs.value.value ?? []).filter(
    ({ id, status }) => status === 'completed' && !ids.includes(id),
  )
  if (offered.length === 0 || ids.length > MAX_OTHERS) return null
  return (
    <Select
      aria-label="Add a job"
      value=""
      choices={[
        ['', 'Add a job…'],
        ...offered.map(({ id, name }) => [id, name ? `${name} (${id.slice(-6)})` : id] as const),
      ]}
      set={(id) => id && add(id)}
    />
  )
}
