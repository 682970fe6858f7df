import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type BarOrder, MAX_PLOTTED_OUTCOMES, toBars, totalOf } from '../../../jobs/counts.ts'
import { marginalOf, parseBits, widthOf } from '../../../jobs/ideal/marginals.ts'
import type { Execution } from '../../../jobs/jobs.ts'
import { formatCount, formatShare } from '../../../lib/format.ts'
import { isPrinting } from '../../../lib/print.ts'
import { Check } from '../../../parts/form/form.tsx'
import { BookTable, numberHeads } from '../../../parts/table/BookTable.tsx'
import { Histogram } from '../../../plots/Histogram.tsx'
import { ScrollRegion } from '../../../plots/ScrollRegion.tsx'
import { type BarUnit, OrderChoice, UnitChoice } from '../BarChoices.tsx'
import { Segments } from '../Segments.tsx'
import { BitsField, Figures, problemOf, useComparable } from './Ideal.tsx'

/** Rows of the table; the download contains all of them. */
const MAX_ROWS = 200

interface CountsProps {
  counts: Record<string, number>
  /** What was run; undefined if it is not known. */
  execution: Execution | undefined
  /** Id of the job. */
  job: string
}

/** The counts of one circuit as histogram and table, whole or of some bits, beside the ideal distribution. */
export function Counts({ counts: measured, execution, job }: CountsProps) {
  const view = {
    order: useSignal<BarOrder>('outcome'),
    unit: useSignal<BarUnit>('count'),
    scale: useSignal<'linear' | 'log'>('linear'),
    whiskers: useSignal(true),
    isCompared: useSignal(false),
  }
  const bits = useSignal('')
  const width = widthOf(measured)
  const chosen = parseBits(bits.value, width ?? 0)
  const kept = 'value' in chosen ? chosen.value : []
  const { note, probabilities } = useComparable(view.isCompared.value ? execution : undefined, width, job)
  const counts = marginalOf(measured, kept)
  const exact = probabilities && scaled(marginalOf(probabilities, kept), totalOf(measured))
  const outcomes = Object.keys(counts).length
  const isPlotted = outcomes <= MAX_PLOTTED_OUTCOMES
  return (
    <>
      <Choices view={view} isPlotted={isPlotted} hasIdeal={execution !== undefined}>
        {width !== undefined && <BitsField bits={bits} width={width} problem={problemOf(chosen)} />}
      </Choices>
      {note}
      {isPlotted ? (
        <Plot view={view} counts={counts} exact={exact} />
      ) : (
        <p class="caption">
          {formatCount(outcomes)} outcomes are too many for a plot; the table has the most frequent ones.
        </p>
      )}
      {width !== undefined && (
        <Figures measured={measured} counts={counts} ideal={probabilities} exact={exact} width={width} />
      )}
      <details open={!isPlotted || isPrinting.value}>
        <summary>
          Table of {formatCount(outcomes)} {outcomes === 1 ? 'outcome' : 'outcomes'}
        </summary>
        <CountTable counts={counts} order={view.order.value} />
      </details>
    </>
  )
}

/** How counts are shown. */
interface View {
  order: Signal<BarOrder>
  unit: Signal<BarUnit>
  scale: Signal<'linear' | 'log'>
  whiskers: Signal<boolean>
  /** Whether the ideal distribution stands beside. */
  isCompared: Signal<boolean>
}

interface ChoicesProps {
  view: View
  isPlotted: boolean
  hasIdeal: boolean
  children: ComponentChildren
}

function Choices({ view, isPlotted, hasIdeal, children }: ChoicesProps) {
  return (
    <div class="toolbar">
      <OrderChoice value={view.order} />
      {isPlotted && (
        <>
          <UnitChoice value={view.unit} />
          <Segments
            label="Scale"
            value={view.scale}
            choices={[
              ['linear', 'Linear'],
              ['log', 'Log'],
            ]}
          />
          <Toggle of={view.whiskers}>Error bars</Toggle>
        </>
      )}
      {hasIdeal && <Toggle of={view.isCompared}>Ideal distribution</Toggle>}
      {children}
    </div>
  )
}

function Toggle({ of, children }: { of: Signal<boolean>; children: string }) {
  return (
    <Check checked={of.value} set={(isOn) => (of.value = isOn)}>
      {children}
    </Check>
  )
}

interface PlotProps {
  view: View
  counts: Record<string, number>
  exact: Record<string, number> | undefined
}

function Plot({ view, counts, exact }: PlotProps) {
  return (
    <div>
      {exact && (
        <ul class="cluster legend">
          <li class="series-1">Measured</li>
          <li class="series-2">Ideal</li>
        </ul>
      )}
      <Histogram
        series={[
          { name: exact ? 'measured' : '', counts },
          ...(exact ? [{ name: 'ideal', counts: exact, isExact: true }] : []),
        ]}
        order={view.order.value}
        height={260}
        unit={view.unit.value}
        scale={view.scale.value}
        whiskers={view.whiskers.value}
      />
      <p class="caption">
        {formatCount(totalOf(counts))} shots{view.whiskers.value && ', whiskers ± 2σ where they fit'}. Bit 0
        is on the right.
      </p>
    </div>
  )
}

/** Probabilities as the counts that so many shots give on average. */
function scaled(probabilities: Record<string, number>, shots: number): Record<string, number> {
  return Object.fromEntries(Object.entries(probabilities).map(([outcome, share]) => [outcome, share * shots]))
}

function CountTable({ counts, order }: { counts: Record<string, number>; order: BarOrder }) {
  const { bars, other } = toBars(counts, order, MAX_ROWS)
  return (
    <ScrollRegion class="scroll tall" label="Counts as a table">
      <BookTable head={['Outcome', ...numberHeads(['Count', 'Share'])]}>
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
      </BookTable>
    </ScrollRegion>
  )
}
