import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { Job } from '../../../../api/model/jobs.ts'
import { useParsed } from '../../../../jobs/check/use-parsed.ts'
import { parseBits } from '../../../../jobs/ideal/marginals.ts'
import { executionsOf } from '../../../../jobs/jobs.ts'
import {
  changingOutcomes,
  countsOfSweep,
  gridOf,
  type Points,
  pointsOf,
  type Quantity,
  type Sweep,
  sweepCsv,
  sweepOf,
} from '../../../../jobs/sweep/sweep.ts'
import { formatCount } from '../../../../lib/format.ts'
import { saveFile } from '../../../../lib/save-file.ts'
import { Select } from '../../../../parts/form/form.tsx'
import { Menu } from '../../../../parts/Menu.tsx'
import { Panel } from '../../../../parts/Panel.tsx'
import { MapCut } from '../../../../plots/fit/MapCut.tsx'
import { SweepMap } from '../../../../plots/fit/SweepMap.tsx'
import { savePlot } from '../../../../plots/save-plot.ts'
import { BitsField, problemOf } from '../Ideal.tsx'
import { SweepLine } from './SweepLine.tsx'

interface SweepPanelProps {
  job: Job
  /** Only the plot, under this heading; without it, everything that can be chosen. */
  brief?: { title: string; aside: ComponentChildren }
  /** In place of a job whose executions differ in no parameter. */
  otherwise?: VNode | null
}

/** What was measured against a parameter. */
export function SweepPanel({ job, brief, otherwise = null }: SweepPanelProps) {
  const sweep = useMemo(() => sweepOf(executionsOf(job), job.results?.circuit_results ?? []), [job])
  return sweep ? <Shown sweep={sweep} job={job.id} brief={brief} /> : otherwise
}

function Shown({ sweep, job, brief }: { sweep: Sweep; job: string; brief: SweepPanelProps['brief'] }) {
  const plot = useRef<HTMLDivElement>(null)
  const names = useNames(sweep)
  const bits = useSignal('')
  const wanted = useSignal('')
  const against = useSignal('')
  const counted = useMemo(() => countsOfSweep(sweep), [sweep])
  const chosen = parseBits(bits.value, counted?.width ?? 0)
  const kept = 'value' in chosen ? chosen.value : []
  const quantities = useMemo(() => quantitiesOf(sweep, counted?.counts, kept), [sweep, kept.join()])
  const choice = quantities.find(({ title }) => title === wanted.value) ?? quantities[0]
  const points = useMemo(() => choice && pointsOf(sweep, choice.quantity), [choice])
  if (!choice || !points) return null
  const planes = planesOf(sweep, names)
  const axes = [...planes.map(({ title }) => title), ...names]
  const axis = axes.includes(against.value) ? against.value : (axes[0] ?? '')
  const plane = planes.find(({ title }) => title === axis)
  const parameter = sweep.parameters[names.indexOf(axis)]
  const csv = () => sweepCsv(sweep, { names, title: choice.title }, points)
  const shown = plane ? (
    <Plane key={axis} plane={plane} points={points} title={choice.title} isBrief={brief !== undefined} />
  ) : (
    parameter && (
      <SweepLine x={parameter.values} points={points} name={axis} title={choice.title} isFitted={!brief} />
    )
  )
  if (brief)
    return (
      <Panel {...brief}>
        <div class="padded">{shown}</div>
      </Panel>
    )
  return (
    <Panel
      title="Sweep"
      aside={
        <Menu
          button="Save"
          label="Save the sweep or its plot"
          items={[
            {
              title: 'Points as CSV',
              run: () => saveFile(new Blob([csv()], { type: 'text/csv' }), `${job}-sweep.csv`),
            },
            { title: 'Plot as SVG', run: () => void savePlot(plot.current, `${job}-sweep`, 'svg') },
            { title: 'Plot as PNG', run: () => void savePlot(plot.current, `${job}-sweep`, 'png') },
          ]}
        />
      }
    >
      <div class="padded" ref={plot}>
        <div class="toolbar">
          <Choice
            label="Shown"
            chosen={wanted}
            value={choice.title}
            of={quantities.map((each) => each.title)}
          />
          <Choice label="Against" chosen={against} value={axis} of={axes} />
          {counted && <BitsField bits={bits} width={counted.width} problem={problemOf(chosen)} />}
        </div>
        {shown}
        {!plane && names.length > 1 && (
          <p class="caption">Other parameters differ between these points, too.</p>
        )}
      </div>
    </Panel>
  )
}

/** The names of the parameters that differ; numbers until the program is read, and of bound programs. */
function useNames({ text, parameters }: Sweep): string[] {
  const read = useParsed({ task: 'problems', inputs: [text] }, undefined, [text])
  const inputs = read.value?.inputs ?? []
  return parameters.map(({ index }) => inputs[index] ?? `value ${index + 1}`)
}

interface NamedQuantity {
  title: string
  quantity: Quantity
}

/** What can be plotted: exact means, or mean, parity and outcomes of the bits that are chosen. */
function quantitiesOf(
  { results }: Sweep,
  counts: readonly Record<string, number>[] | undefined,
  bits: readonly number[],
): NamedQuantity[] {
  const observables = results[0]?.expectation_values?.length ?? 0
  const exact = Array.from({ length: observables }, (_, index): NamedQuantity => {
    return { title: `observable ${index}`, quantity: { kind: 'observable', index } }
  })
  if (!counts) return exact
  const outcomes = changingOutcomes(counts, bits)
  return [
    ...exact,
    ...outcomes.map((outcome): NamedQuantity => {
      return { title: `P(${outcome})`, quantity: { kind: 'outcome', bits, outcome } }
    }),
    { title: '⟨Z…Z⟩', quantity: { kind: 'mean', bits } },
    { title: 'P(odd number of ones)', quantity: { kind: 'odd', bits } },
  ]
}

interface NamedPlane {
  title: string
  x: string
  y: string
  grid: NonNullable<ReturnType<typeof gridOf>>
}

/** The pairs of parameters that span a grid. */
function planesOf({ parameters }: Sweep, names: readonly string[]): NamedPlane[] {
  return parameters.flatMap((x, at) =>
    parameters.slice(at + 1).flatMap((y, next) => {
      const grid = gridOf(x, y)
      const [nameOfX = '', nameOfY = ''] = [names[at], names[at + 1 + next]]
      return grid ? [{ title: `${nameOfX} and ${nameOfY}`, x: nameOfX, y: nameOfY, grid }] : []
    }),
  )
}

interface PlaneProps {
  plane: NamedPlane
  points: Points
  title: string
  isBrief: boolean
}

function Plane({ plane: { grid, ...names }, points: { values, errors }, title, isBrief }: PlaneProps) {
  const map = useMemo(
    () => ({
      x: { title: names.x, values: grid.x, factor: 1 },
      y: { title: names.y, values: grid.y, factor: 1 },
      z: grid.cells.map((at) => values[at] ?? Number.NaN),
    }),
    [grid, values],
  )
  return (
    <>
      <SweepMap
        {...map}
        label={`${title}: ${formatCount(map.z.length)} values against ${names.x} and ${names.y}`}
        zTitle={title}
      />
      {!isBrief && (
        <MapCut {...map}>
          {({ along, at, values: cut, places }) => (
            <SweepLine
              key={at}
              x={along.values}
              points={{
                values: cut,
                errors: errors && places.map((place) => errors[grid.cells[place] ?? 0] ?? 0),
              }}
              name={along.title}
              title={title}
              isFitted
            />
          )}
        </MapCut>
      )}
    </>
  )
}

interface ChoiceProps {
  label: string
  chosen: Signal<string>
  value: string
  of: readonly string[]
}

function Choice({ label, chosen, value, of }: ChoiceProps) {
  return <Select label={label} value={value} choices={of} set={(each) => (chosen.value = each)} />
}
