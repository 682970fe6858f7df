import { medianOf } from '../../../src/base/portable/median.ts'
import {
  calibratedQpu,
  calibrationRequest,
  calibrationRequests,
  latestValues,
  type Tuner,
} from '../../api/model/calibrations.ts'
import { qpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { type Query, useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatNumberOf } from '../../lib/format.ts'
import { Field, FormActions, Select, useForm } from '../../parts/form/form.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { useConfirm } from '../../parts/use-confirm.ts'
import { quoted, recordsPath } from './records.ts'
import { RUNS_COMPARED } from './run/expected-time.ts'
import { Targets } from './Targets.tsx'
import { completeDescription, targetNames } from './target-names.ts'
import { roughly, secondsBetween, titleOf } from './words.ts'

const MODES = [
  ['fidelity_check', 'Fidelity check', 'Benchmarks only, changes nothing. Minutes, at most 2 h.'],
  ['partial', 'Partial', 'Recalibrates what is stale on the chosen qubits. At most 12 h.'],
  ['full', 'Full', 'Recalibrates everything. Hours, at most 48 h.'],
] as const

interface DispatchProps {
  tuners: readonly Tuner[] | undefined
  onDispatched: () => void
}

/** The form that requests a calibration. */
export function Dispatch({ tuners, onDispatched }: DispatchProps) {
  const query = useQuery()
  const isOpen = query.get('new') === '1'
  if (!tuners || tuners.length === 0) return null
  return (
    <Panel
      title="Request a calibration"
      aside={
        <button
          type="button"
          class={isOpen ? undefined : 'primary'}
          aria-expanded={isOpen}
          onClick={() => query.set({ new: isOpen ? '' : '1', on: '', mode: '', target: '' })}
        >
          {isOpen ? 'Close' : 'New calibration'}
        </button>
      }
    >
      {isOpen && <DispatchForm tuners={tuners} onDispatched={onDispatched} />}
    </Panel>
  )
}

/** What the address asks for: a tuner or its QPU; a report proposes its tuner, mode and failed targets. */
function initialRequest(query: Query, tuners: readonly Tuner[]) {
  const on = query.get('on')
  const wanted = tuners.find(({ id, qpu }) => id === on || qpu === on) ?? tuners[0]
  const mode = MODES.find(([value]) => value === query.get('mode'))?.[0] ?? 'partial'
  return { driver_id: wanted?.id ?? '', mode: mode as string, target_qubits: query.all('target') }
}

function DispatchForm({ tuners, onDispatched }: DispatchProps & { tuners: readonly Tuner[] }) {
  const app = useApp()
  const { api } = app
  const query = useQuery()
  const confirm = useConfirm()
  const form = useForm({
    initial: initialRequest(query, tuners),
    check: ({ mode, target_qubits }) =>
      mode === 'partial' && target_qubits.length === 0 ? { target_qubits: 'Choose at least one qubit.' } : {},
    async submit({ driver_id, mode, target_qubits }) {
      const body = { driver_id, mode, ...(mode === 'partial' && { target_qubits }) }
      const asked = await confirm({
        title: `${titleOf(mode, qpuName)}?`,
        body: await consequences(mode),
        action: 'Calibrate',
      })
      if (!asked) return
      const { id } = await api.post('/api/op/calibrate/dispatch', body, calibrationRequest)
      onDispatched()
      app.toast('The calibration is in the queue of its tuner.')
      app.router.go(`/calibrations/${id}`)
    },
  })
  const { driver_id, mode, target_qubits } = form.values.value
  const tuner = tuners.find(({ id }) => id === driver_id)
  const qpu = tuner?.qpu ?? ''
  const qpuName = app.qpus.value.value?.find(({ id }) => id === qpu)?.name ?? tuner?.name ?? 'the QPU'
  const chip = useResource(
    async (abort) => {
      const address = encodeURIComponent(qpu)
      const [detail, { values }] = await Promise.all([
        api.get(`/api/qpus/${address}`, qpuDetail, abort),
        api.get(`/api/calibration/values?qpu=${address}`, latestValues, abort),
      ])
      const names = targetNames(detail.description, values)
      return { names, qpu: { ...detail, description: completeDescription(detail.description, names) } }
    },
    [qpu],
  )

  const consequences = async (chosen: string): Promise<string> => {
    const path = recordsPath(app, 'calibration_requests', {
      filter: `status='done' && driver=${quoted(driver_id)} && mode=${quoted(chosen)}`,
      sort: '-finished_at',
      perPage: RUNS_COMPARED,
      skipTotal: 1,
      fields: 'id,started_at,finished_at',
    })
    const [before, now] = await Promise.all([
      api.get(path, calibrationRequests),
      api.get(`/api/qpus/${encodeURIComponent(qpu)}`, calibratedQpu),
    ])
    const lasted = before.items.flatMap(
      ({ started_at, finished_at }) => secondsBetween(started_at, finished_at) ?? [],
    )
    const time = lasted.length > 0 ? ` for about ${roughly(medianOf(lasted))}` : ' until it ends'
    const jobs = now.queue_length ?? 0
    const waits =
      jobs === 0 ? 'No job waits.' : `${formatNumberOf(jobs, 'job')} ${jobs === 1 ? 'waits' : 'wait'}.`
    const offline =
      tuner?.status === 'online' ? '' : ' The tuner is offline; the calibration starts when it connects.'
    return `${qpuName} takes no jobs${time}. ${waits.charAt(0).toUpperCase()}${waits.slice(1)}${offline}`
  }

  return (
    <form class="form padded dispatch" onSubmit={form.submit}>
      <Field id={form.id('driver_id')} label="Tuner" error={form.error('driver_id')}>
        <Select
          id={form.id('driver_id')}
          value={driver_id}
          choices={tuners.map(({ id, name, qpu: of, status }) => {
            const qpu = app.qpus.value.value?.find((one) => one.id === of)?.name ?? 'unknown QPU'
            return [id, `${name} (${qpu}, ${status || 'offline'})`]
          })}
          set={(id) => form.set({ driver_id: id, target_qubits: [] })}
          {...form.aria('driver_id')}
        />
      </Field>
      <fieldset class="choice column">
        <legend>Mode</legend>
        {MODES.map(([value, title, hint]) => (
          <label key={value}>
            <input
              type="radio"
              name="mode"
              checked={mode === value}
              onChange={() => form.set({ mode: value })}
            />
            <span>
              <strong>{title}</strong> <span class="soft">{hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {mode === 'partial' && (
        <Targets
          qpu={chip.value.value?.qpu}
          names={chip.value.value?.names}
          chosen={target_qubits}
          choose={(names) => form.set({ target_qubits: names })}
          id={form.id('target_qubits')}
          error={form.error('target_qubits')}
        />
      )}
      <FormActions form={form} action="Request the calibration…" />
    </form>
  )
}
