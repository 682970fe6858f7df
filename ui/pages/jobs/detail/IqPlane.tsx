import { type Signal, useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { Job } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { useIdeal } from '../../../jobs/ideal/use-ideal.ts'
import { executionsOf } from '../../../jobs/jobs.ts'
import type { AssignmentError, Share } from '../../../jobs/readout/discriminate.ts'
import { preparedState } from '../../../jobs/readout/prepared.ts'
import { joinPoints, ownDiscriminator, type Readout, readOut } from '../../../jobs/readout/read-out.ts'
import { type IqPoints, readIqPoints } from '../../../jobs/signals.ts'
import { formatCount } from '../../../lib/format.ts'
import { formatQuantity } from '../../../lib/quantity.ts'
import { Fact } from '../../../parts/table/Fact.tsx'
import { Iq } from '../../../plots/Iq.tsx'
import { Projection } from '../../../plots/Projection.tsx'
import { Segments } from '../Segments.tsx'
import { SlotChoice } from './SlotChoice.tsx'

/** Circuits whose preparation is calculated and whose shots are shown together. */
const MAX_CIRCUITS = 16

interface IqPlaneProps {
  job: Job
  /** The points of the shown circuit. */
  points: IqPoints
  /** Index of the shown circuit. */
  chosen: number
}

/** The points of one bit in the IQ plane and along the axis between its states, with threshold and errors. */
export function IqPlane({ job, points, chosen }: IqPlaneProps) {
  const { theme } = useApp()
  const slot = useSignal(0)
  const by = useSignal<'prepared' | 'assigned'>('assigned')
  /** The preparation is calculated when it is asked for, and kept then. */
  const isAsked = useRef(false)
  isAsked.current ||= by.value === 'prepared'
  const results = job.results?.circuit_results ?? []
  const unit = results[chosen]?.metadata?.memory_unit || 'device units'
  const prepared = usePrepared(job, isAsked.current, slot.value)
  const readout = useMemo(() => {
    const shown = points.slots[slot.value] ?? points.slots[0] ?? NONE
    return readOut({ shown, prepared, own: ownDiscriminator(job, chosen), by: by.value })
  }, [points, slot.value, prepared, by.value])
  const isKnown = prepared.some(({ re }) => re.length > 0)
  const name = `Bit ${slot.value}`
  return (
    <>
      <div class="toolbar">
        <SlotChoice slots={points.slots.length} slot={slot} />
        {points.isSingle && <SortChoice by={by} />}
      </div>
      <Iq clouds={readout.clouds} line={readout.line} name={name} unit={unit} theme={theme.value} />
      {by.value === 'prepared' && !isKnown && (
        <p class="caption">No circuit of the job is known to prepare 0 or 1 for certain on this bit.</p>
      )}
      {points.isSingle ? (
        <Shots readout={readout} name={name} unit={unit} shots={points.slots[0]?.re.length ?? 0} />
      ) : (
        <p class="caption">The mean of all shots.</p>
      )}
    </>
  )
}

const NONE = { re: new Float64Array(0), im: new Float64Array(0) }

function SortChoice({ by }: { by: Signal<'prepared' | 'assigned'> }) {
  return (
    <Segments
      label="Color of the points"
      value={by}
      choices={[
        ['prepared', 'Prepared'],
        ['assigned', 'Assigned'],
      ]}
    />
  )
}

/** The shots of all circuits that prepare 0 and 1 for certain, as far as a page can calculate it. */
function usePrepared(job: Job, isAsked: boolean, slot: number) {
  const results = job.results?.circuit_results ?? []
  const executions = executionsOf(job)
  const isPossible = executions.length === results.length && results.length <= MAX_CIRCUITS
  const ideals = useIdeal(isAsked && isPossible ? executions : [], `${job.id} ${isAsked}`).value
  return useMemo(() => {
    const of = (state: 0 | 1) =>
      joinPoints(
        results.flatMap(({ memory }, index) => {
          const points = preparedState(ideals?.[index], slot) === state ? readIqPoints(memory) : undefined
          return (points?.isSingle && points.slots[slot]) || []
        }),
      )
    return [of(0), of(1)] as const
  }, [ideals, slot])
}

interface ShotsProps {
  readout: Readout
  name: string
  unit: string
  shots: number
}

function Shots({ readout: { clouds, lists, line, source, errors, overlap }, name, unit, shots }: ShotsProps) {
  return (
    <>
      <ul class="cluster legend">
        {clouds
          .filter(({ label }) => label)
          .map(({ label, state, re }) => (
            <li key={label} class={`series-${state + 1}`}>
              {state === 0 ? '●' : '×'} {label}, {formatCount(re.length)}
            </li>
          ))}
      </ul>
      <p class="caption">
        {formatCount(shots)} shots of this circuit, one point each; + marks the mean of a cloud.{' '}
        {line
          ? `Dashed: threshold, ${source}.`
          : 'The points may be one cloud, so that no threshold can be estimated.'}
      </p>
      {line && (
        <>
          <Projection name={name} lists={lists} threshold={line.threshold} unit={unit} />
          <dl class="facts">
            <Fact name="Rotation">{formatQuantity(line.rotation, { unit: '°', digits: 1 })}</Fact>
            <Fact name="Threshold">{formatQuantity(line.threshold, { unit })}</Fact>
            <Errors errors={errors} />
            {overlap !== undefined && (
              <Fact name="Overlap of the clouds">
                {overlap < 1e-6 ? '< 0.0001 %' : formatQuantity(overlap * 100, { unit: '%' })}
              </Fact>
            )}
          </dl>
        </>
      )}
    </>
  )
}

/** How often each preparation is read as the other, unless the job does not prepare both for certain. */
function Errors({ errors }: { errors: AssignmentError | undefined }) {
  const { zeroAsOne, oneAsZero, mean } = errors ?? {}
  return (
    <>
      <Fact name="Assignment error">
        {mean === undefined
          ? 'known when both states are prepared; choose Prepared'
          : formatQuantity(mean * 100, { unit: '%' })}
      </Fact>
      {zeroAsOne && <Fact name="0 read as 1">{percent(zeroAsOne)}</Fact>}
      {oneAsZero && <Fact name="1 read as 0">{percent(oneAsZero)}</Fact>}
    </>
  )
}

/** A share of shots; without a single error, the bound that they leave at 95 % (3 / shots). */
function percent({ value, error, shots }: Share): string {
  if (value === 0) return `< ${formatQuantity(300 / shots, { unit: '%' })} (95 %)`
  return formatQuantity(value * 100, { unit: '%', uncertainty: error * 100, digits: 2 })
}
