import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { ApiError } from '../../../api/api.ts'
import { type CircuitResult, type Job, rawResults } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { countsOfResult, toCsv } from '../../../jobs/counts.ts'
import { executionsOf, warningsOf } from '../../../jobs/jobs.ts'
import { type IqPoints, readIqPoints, readTraces, type Traces } from '../../../jobs/signals.ts'
import { formatCount } from '../../../lib/format.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { Menu } from '../../../parts/Menu.tsx'
import { Empty, Panel } from '../../../parts/Panel.tsx'
import { savePlot } from '../../../plots/save-plot.ts'
import { Trace } from '../../../plots/Trace.tsx'
import { CircuitChoice } from '../CircuitChoice.tsx'
import { Counts } from './Counts.tsx'
import { ExactValues, exactCsv, exactRows } from './ExactValues.tsx'
import { IqPlane } from './IqPlane.tsx'
import { SlotChoice } from './SlotChoice.tsx'

const TITLES = ['Traces', 'IQ points', 'Counts']

/**
 * The results of a completed job in the form that its measurement level has, one circuit at a time; `path` is
 * that of the API which has them.
 */
export function Results({ job, path }: { job: Job; path: string }) {
  const { api, toast } = useApp()
  const results = job.results?.circuit_results ?? []
  const chosen = useSignal(0)
  const plot = useRef<HTMLDivElement>(null)
  const level = job.payload?.meas_level ?? 2
  const result = results[chosen.value]
  const file = results.length > 1 ? `${job.id}-${chosen.value + 1}` : job.id
  const points = useMemo(() => (level === 1 ? readIqPoints(result?.memory) : undefined), [result])
  const traces = useMemo(() => (level === 0 ? readTraces(result?.memory) : undefined), [result])
  const warnings = warningsOf(job)
  const compiled = result?.metadata?.compiled_circuit
  const counts = (result && countsOfResult(result)) ?? {}
  const hasCounts = Object.keys(counts).length > 0
  const executions = executionsOf(job)
  const execution = executions.length === results.length ? executions[chosen.value] : undefined
  const exact = exactRows(result)
  const isShown = exact || points || traces || hasCounts || result?.counts_omitted || result?.discarded_shots
  const saveAll = () =>
    api.get(path, rawResults).then(
      (all) => saveText(JSON.stringify(all, null, 2), `${job.id}.json`),
      ({ message }: ApiError) => toast(message, 'bad'),
    )
  return (
    <Panel
      title={exact ? 'Exact values' : (TITLES[level] ?? 'Results')}
      aside={
        <div class="actions">
          {results.length > 1 && (
            <CircuitChoice names={results.map(({ header }) => header?.name ?? '')} chosen={chosen} />
          )}
          <Menu
            button="Save"
            label="Save the results or the plot"
            items={[
              { title: 'Results as JSON', run: () => void saveAll() },
              ...saveItems({ counts, exact, points, traces, compiled }, file, plot),
            ]}
          />
        </div>
      }
    >
      {warnings.length > 0 && (
        <ul class="padded" aria-label="Warnings">
          {warnings.map((warning) => (
            <li key={warning}>Warning: {warning}</li>
          ))}
        </ul>
      )}
      {isShown ? (
        <div key={chosen.value} class="padded" ref={plot}>
          {points && <IqPlane job={job} points={points} chosen={chosen.value} />}
          {traces && <TraceList traces={traces} />}
          <ExactValues exact={exact} />
          {hasCounts && <Counts counts={counts} execution={execution} job={job.id} />}
          <Notes result={result} areCounted={hasCounts} />
        </div>
      ) : (
        <Empty>This job has no results to show: it measured nothing.</Empty>
      )}
    </Panel>
  )
}

/** What the plot of a result does not show. */
function Notes({ result, areCounted }: { result: CircuitResult | undefined; areCounted: boolean }) {
  const { shots = 0, discarded_shots: discarded = 0, counts_omitted: isOmitted } = result ?? {}
  return (
    <>
      {isOmitted && (
        <p class="caption">
          {areCounted
            ? 'Counted from the memory by this page.'
            : 'The counts are too large. They follow from the memory: save the results as JSON, or use a client library.'}
        </p>
      )}
      {discarded > 0 && (
        <p class="caption">
          The device discarded {formatCount(discarded)} of {formatCount(shots)} shots.
        </p>
      )}
    </>
  )
}

interface Shown {
  counts: Record<string, number>
  exact: ReturnType<typeof exactRows>
  points: IqPoints | undefined
  traces: Traces | undefined
  /** What was played, in OpenQASM 3 with physical qubits. */
  compiled: string | undefined
}

/** What can be saved of the results of one circuit. */
function saveItems(
  { counts, exact, points, traces, compiled }: Shown,
  file: string,
  plot: { current: Element | null },
) {
  const hasCounts = Object.keys(counts).length > 0
  const items: { title: string; run: () => void }[] = []
  const offer = (isOffered: unknown, title: string, run: () => void) => {
    if (isOffered) items.push({ title, run })
  }
  offer(hasCounts, 'Counts as CSV', () => saveText(toCsv(counts), `${file}.csv`))
  if (exact) items.push({ title: 'Exact values as CSV', run: () => saveText(exactCsv(exact), `${file}.csv`) })
  if (points) items.push({ title: 'Points as CSV', run: () => saveText(pointsCsv(points), `${file}-iq.csv`) })
  if (compiled)
    items.push({ title: 'Compiled circuit as QASM', run: () => saveText(compiled, `${file}-compiled.qasm`) })
  offer(hasCounts || traces, 'Plot as SVG', () => void savePlot(plot.current, file, 'svg'))
  offer(hasCounts || traces || points, 'Plot as PNG', () => void savePlot(plot.current, file, 'png'))
  return items
}

function saveText(text: string, name: string): void {
  const type = { json: 'application/json', csv: 'text/csv' }[name.split('.').at(-1) ?? ''] ?? 'text/plain'
  saveFile(new Blob([text], { type }), name)
}

function pointsCsv({ slots }: IqPoints): string {
  const rows = slots.flatMap(({ re, im }, slot) =>
    Array.from(re, (each, shot) => `${slot},${shot},${each},${im[shot]}`),
  )
  return ['slot,shot,i,q', ...rows, ''].join('\n')
}

function TraceList({ traces: { slots, shots } }: { traces: Traces }) {
  const slot = useSignal(0)
  const shown = slots[slot.value] ?? slots[0]
  if (!shown) return null
  return (
    <>
      <div class="toolbar">
        <SlotChoice slots={slots.length} slot={slot} />
      </div>
      <Trace {...shown} name={`Bit ${slot.value}`} />
      <p class="caption">I solid, Q dashed{shots > 1 ? `, mean of ${formatCount(shots)} shots` : ''}.</p>
    </>
  )
}
