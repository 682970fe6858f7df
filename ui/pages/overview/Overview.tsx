import { useApp } from '../../app/app.ts'
import { useLive, useRecords } from '../../app/use-resource.ts'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { SCHEDULE_TOPICS, SchedulePanel } from '../../parts/schedule/SchedulePanel.tsx'
import { Administration } from './Administration.tsx'
import { CalibrationPanels } from './CalibrationPanels.tsx'
import { ChipPanel } from './ChipPanel.tsx'
import { CryostatPanels } from './CryostatPanels.tsx'
import { JobsPanel } from './JobsPanel.tsx'
import { LatestResult } from './LatestResult.tsx'
import { Lead } from './Lead.tsx'
import { LimitsPanel } from './LimitsPanel.tsx'
import { channelLimits } from './model.ts'
import { NoticesPanel } from './NoticesPanel.tsx'
import { QpuHead } from './QpuHead.tsx'

/** The first page: when QPUs are taken, the user's jobs, a chip, and what needs attention. */
export function Overview() {
  const { account, superuser } = useApp()
  const signedIn = account.value !== undefined
  return (
    <>
      <Heading title="Overview" lead={<Lead />}>
        <a class="button" href="/bookings?new=1">
          Book a slot
        </a>
        <a class="button primary" href="/jobs/new">
          New job
        </a>
      </Heading>
      <div class="stack">
        {superuser.value && <Administration />}
        <Qpus />
        <div class="columns overview">
          <div class="stack">
            <JobsPanel />
            {signedIn && <LatestResult />}
            {signedIn && <CalibrationPanels />}
            {signedIn && <NoticesPanel />}
          </div>
          <div class="stack">{signedIn ? <Equipment /> : <ChipPanel />}</div>
        </div>
      </div>
    </>
  )
}

/** The chip between what is beyond its limits and the cryostats; the limits are loaded once for both. */
function Equipment() {
  const query = { perPage: '200', filter: 'enabled = true', sort: '-breached_at' }
  const limits = useRecords('thresholds', query, channelLimits).value.value?.items ?? []
  return (
    <>
      <LimitsPanel limits={limits} />
      <ChipPanel />
      <CryostatPanels limits={limits} />
    </>
  )
}

function Qpus() {
  const { qpus } = useApp()
  useLive(SCHEDULE_TOPICS, () => undefined)
  const list = qpus.value.value
  if (list && list.length > 0) return <SchedulePanel qpus={list} head={(qpu) => <QpuHead qpu={qpu} />} />
  return (
    <Panel title="Schedule">
      <Loaded of={qpus} task="load the QPUs" rows={4}>
        {() => <NoQpus />}
      </Loaded>
    </Panel>
  )
}

function NoQpus() {
  const { superuser } = useApp()
  return superuser.value ? (
    <Empty
      action={
        <a class="button primary" href="/qpus?register=1">
          Register a QPU
        </a>
      }
    >
      No QPU yet. Register one; you get the token with which its driver connects.
    </Empty>
  ) : (
    <Empty>No QPU is connected yet. An administrator can register one.</Empty>
  )
}
