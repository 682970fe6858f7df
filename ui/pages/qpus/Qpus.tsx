import { useSignal } from '@preact/signals'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive } from '../../app/use-resource.ts'
import { agoText, holderText, newJobStart, queueLength } from '../../jobs/occupancy.ts'
import { qpuCondition } from '../../jobs/status.ts'
import { formatCount, formatNumberOf, sentence, spellCount } from '../../lib/format.ts'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { AvailabilityStrips, useAvailability } from '../../parts/schedule/Availability.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { useLocalTable } from '../../parts/table/local.ts'
import { QpuActions } from './QpuActions.tsx'
import { Reason } from './Reason.tsx'
import { RegisterDialog } from './RegisterDialog.tsx'
import { coupledMedian } from './summary.ts'

const RENEW_MS = 30_000
const SPACING_MS = 2_000

/** All QPUs with what occupies them; superusers register, switch, drain and delete them here. */
export function Qpus() {
  const { qpus, superuser } = useApp()
  const query = useQuery()
  const registering = useSignal(query.get('register') === '1')
  useLive(['quantum_jobs/*', 'time_slots/*'], () => qpus.loadSoon(SPACING_MS))
  return (
    <>
      <Heading title="QPUs" lead={<Lead />}>
        {superuser.value && (
          <button type="button" class="primary" onClick={() => (registering.value = true)}>
            Register a QPU
          </button>
        )}
      </Heading>
      <Loaded of={qpus} task="load the QPUs" rows={4}>
        {(list) => (list.length > 0 ? <Table qpus={list} /> : <NoQpus />)}
      </Loaded>
      {superuser.value && (
        <RegisterDialog
          open={registering.value}
          onClose={() => {
            registering.value = false
            query.set({ register: '' })
          }}
        />
      )}
    </>
  )
}

/** The word of a state within a sentence, where it differs. */
const WITHIN: Record<string, string> = { Maintenance: 'in maintenance', Online: 'online but takes no jobs' }

/** How many QPUs take jobs, and why the others do not. */
function Lead() {
  const { qpus } = useApp()
  const all = qpus.value.value
  if (!all || all.length === 0) return null
  const states = all.map((qpu) => ({ name: qpu.name, ...qpuCondition(qpu) }))
  const ready = states.filter(({ takesJobs }) => takesJobs).length
  const others = states.filter(({ takesJobs }) => !takesJobs)
  const few = others.slice(0, 3).map(({ name, word }) => `${name} is ${WITHIN[word] ?? word.toLowerCase()}`)
  const rest = others.length > few.length ? [`${formatNumberOf(others.length - few.length, 'more')} not`] : []
  return (
    <>
      {ready === 0 ? 'None' : sentence(spellCount(ready))} of {formatNumberOf(all.length, 'QPU')}{' '}
      {ready > 1 ? 'take' : 'takes'} jobs now{few.length > 0 ? `; ${[...few, ...rest].join(', ')}` : ''}.
    </>
  )
}

function Table({ qpus }: { qpus: readonly Qpu[] }) {
  const { superuser, zone } = useApp()
  const now = useNow(RENEW_MS).value
  const times = useAvailability()
  const columns: Column<Qpu>[] = [
    { title: 'QPU', value: ({ name }) => name, cell: ({ name }) => name },
    {
      title: 'Status',
      value: (qpu) => qpuCondition(qpu).word,
      phone: 'state',
      cell: (qpu) => <Status {...qpuCondition(qpu)} />,
    },
    {
      title: 'Availability',
      phone: 'wide',
      cell: (qpu) => (
        <>
          <span>
            <Reason qpu={qpu} now={now} />
          </span>
          <AvailabilityStrips of={times.value.value} qpu={qpu} />
        </>
      ),
    },
    {
      title: 'Queue',
      number: true,
      value: ({ queue_length }) => queue_length,
      cell: (qpu) => queueLength(qpu),
    },
    { title: 'Running', cell: (qpu) => <RunningJob qpu={qpu} /> },
    {
      title: 'Held by',
      phone: 'absent',
      cell: (qpu) => holderText(qpu, now, zone.value) ?? <span class="soft">nobody</span>,
    },
    {
      title: 'New job starts',
      cell: (qpu) => newJobStart(qpu, qpuCondition(qpu), now, zone.value),
    },
    {
      title: 'Qubits',
      number: true,
      value: ({ num_qubits }) => num_qubits,
      cell: ({ num_qubits }) => (num_qubits ? formatCount(num_qubits) : '–'),
    },
    { title: '2-qubit fidelity', number: true, phone: 'absent', cell: (qpu) => coupledMedian(qpu) ?? '–' },
    {
      title: 'Calibrated',
      number: true,
      value: ({ calibration }) => calibration?.at,
      phone: 'absent',
      cell: ({ calibration }) => agoText(calibration?.at, now) || '–',
    },
    { title: 'Actions', untitled: true, cell: (qpu) => <QpuActions qpu={qpu} /> },
  ]
  const { save, ...table } = useLocalTable(qpus, superuser.value ? columns : columns.slice(0, -1))
  return (
    <Panel
      title="All QPUs"
      aside={
        <button type="button" onClick={() => save('qpus.csv')}>
          Save as CSV
        </button>
      }
    >
      <DataTable
        label="QPUs"
        list="qpus"
        {...table}
        id={({ id }) => id}
        href={({ name }) => `/qpus/${encodeURIComponent(name)}`}
      />
    </Panel>
  )
}

function RunningJob({ qpu: { running_job: running } }: { qpu: Qpu }) {
  if (!running) return <span class="soft">nothing</span>
  if (running.id && running.mine) return <a href={`/jobs/${running.id}`}>your job</a>
  return running.id ? <a href={`/jobs/${running.id}`}>a job</a> : <>another user</>
}

function NoQpus() {
  const { superuser } = useApp()
  return (
    <Panel title="All QPUs">
      <Empty>
        {superuser.value
          ? 'No QPU yet. Register one; you get the token with which its driver connects.'
          : 'No QPU is connected yet. An administrator can register one.'}
      </Empty>
    </Panel>
  )
}
