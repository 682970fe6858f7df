import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type DryRun, dryRun } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { useNow } from '../../../app/use-now.ts'
import type { Draft } from '../../../jobs/draft.ts'
import type { Expected as Fidelity } from '../../../jobs/fidelity/expected-fidelity.ts'
import { basisText, isMeasured, secondsText } from '../../../jobs/jobs.ts'
import { startText } from '../../../jobs/occupancy.ts'
import { bodyOf } from '../../../jobs/submission.ts'
import { formatNumberOf } from '../../../lib/format.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { Fact } from '../../../parts/table/Fact.tsx'
import { ExpectedFidelity } from './ExpectedFidelity.tsx'
import type { QpuState } from './qpu-state.ts'

/** Pause after the last change of the form, ms. */
const PAUSE_MS = 600

interface EstimateProps {
  draft: Draft
  /** Whether the form has no problems. */
  isValid: boolean
  state: QpuState | undefined
  fidelity: Fidelity | undefined
}

/** What the job will cost and when it may start, by a dry run of the server. */
export function Estimate({ draft, isValid, state, fidelity }: EstimateProps) {
  const { account } = useApp()
  const expected = useDryRun(draft, isValid)
  const balance = account.value?.qpu_seconds
  const recalled = expected?.warnings.filter(({ code }) => code === 'calibration_recalled') ?? []
  return (
    <Panel title="Estimate">
      <dl class="pairs padded">
        {expected?.estimate ? (
          <Cost expected={expected.estimate} warnings={expected.warnings} balance={balance} />
        ) : (
          <Fact name="QPU time">not known yet</Fact>
        )}
        {state && <Start state={state} />}
        {state && fidelity && <ExpectedFidelity state={state} fidelity={fidelity} />}
      </dl>
      {recalled.map(({ message }) => (
        <p key={message} class="notice tone-warn">
          {message}
        </p>
      ))}
    </Panel>
  )
}

interface CostProps {
  expected: NonNullable<DryRun['estimate']>
  warnings: DryRun['warnings']
  balance: number | undefined
}

function Cost({ expected, warnings, balance }: CostProps) {
  const { zone } = useApp()
  const now = useNow(1_000).value
  const { qpu_seconds, charge, start } = expected
  // Without a start, this says why.
  const below = warnings.find(({ code }) => code === 'below_quality')
  const starts = below ? below.message : startText(start, now, zone.value)
  if (!isMeasured(expected)) {
    return (
      <>
        <Fact name="QPU time">no estimate yet: the QPU has run too few jobs</Fact>
        {/* A range rests on runs that nobody has measured, too. */}
        {starts && (below || start?.from === start?.to) && <Fact name="Start">{starts}</Fact>}
      </>
    )
  }
  return (
    <>
      <Fact name="QPU time">{secondsText(qpu_seconds)}</Fact>
      <Fact name="From">{basisText(expected)}</Fact>
      {starts && <Fact name="Start">{starts}</Fact>}
      {balance !== undefined && charge.to > 0 && (
        <Fact name="Balance after">
          {secondsText({ from: Math.max(0, balance - charge.to), to: Math.max(0, balance - charge.from) })}
        </Fact>
      )}
    </>
  )
}

/** What the server says of the job of a form, a moment after its last change; undefined until then. */
function useDryRun(draft: Draft, isValid: boolean): DryRun | undefined {
  const { api } = useApp()
  const expected = useSignal<DryRun | undefined>(undefined)
  const body = isValid ? JSON.stringify(bodyOf(draft)) : ''
  useEffect(() => {
    if (body === '') {
      expected.value = undefined
      return
    }
    let isCurrent = true
    const timer = setTimeout(async () => {
      const found = await api
        .post('/api/jobs?dry_run=true', JSON.parse(body), dryRun)
        // What is wrong is shown when the job is submitted.
        .catch(() => undefined)
      if (isCurrent) expected.value = found
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [body])
  return expected.value
}

function Start({ state: { queue_length: queued, holder } }: { state: QpuState }) {
  return (
    <>
      {typeof queued === 'number' && (
        <Fact name="Queue">{queued === 0 ? 'empty' : `${formatNumberOf(queued, 'job')} first`}</Fact>
      )}
      {holder && (
        <Fact name={holder.mine ? 'Your slot until' : 'Booked until'}>
          <Moment at={holder.until} />
        </Fact>
      )}
    </>
  )
}
