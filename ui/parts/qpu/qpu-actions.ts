import * as v from 'valibot'
import { asApiError } from '../../api/api.ts'
import type { Qpu } from '../../api/model/qpus.ts'
import type { App } from '../../app/app.ts'

/** What belongs to a QPU, and is deleted with it. */
const contents = v.object({
  drivers: v.array(v.string()),
  bookings: v.number(),
  calibration_requests: v.number(),
  thresholds: v.number(),
  notes: v.number(),
})

/** `Deletes the drivers north and cold, 2 bookings and 1 note.` */
function deletedText({ drivers, ...counts }: v.InferOutput<typeof contents>): string {
  const things = [
    [counts.bookings, 'booking'],
    [counts.calibration_requests, 'calibration request'],
    [counts.thresholds, 'limit'],
    [counts.notes, 'note'],
  ] as const
  const parts = [
    ...(drivers.length > 0 ? [`the driver${drivers.length > 1 ? 's' : ''} ${drivers.join(', ')}`] : []),
    ...things.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}${count > 1 ? 's' : ''}`] : [])),
  ]
  return parts.length === 0
    ? 'Nothing else is deleted.'
    : `Deletes ${new Intl.ListFormat('en').format(parts)} too.`
}

/** Something that a superuser does with a QPU; the title of one that asks before ends with `…`. */
interface QpuAction {
  title: string
  tone?: 'bad'
  run: () => void
}

interface Dependencies {
  /** Opens the dialog that starts the maintenance. */
  startMaintenance: () => void
  onDeleted?: (() => void) | undefined
}

/** What superusers do with a QPU in its present state: switch, maintain, drain, delete. */
export function qpuActions(
  { api, dialogs, toast, qpus }: Pick<App, 'api' | 'dialogs' | 'toast' | 'qpus'>,
  qpu: Qpu,
  { startMaintenance, onDeleted }: Dependencies,
): QpuAction[] {
  const { id, name } = qpu
  /** Whether the action succeeded. */
  const act = async (action: () => Promise<void>, done: string, verb = 'changed'): Promise<boolean> => {
    try {
      await action()
      toast(done)
      qpus.loadSoon()
      return true
    } catch (failure) {
      toast(`${name} was not ${verb}: ${asApiError(failure).message}`, 'bad')
      return false
    }
  }
  const toggle = (enabled: boolean) => api.send('/api/op/qpu/toggle', { id, enabled })
  const drain = (on: boolean, reason = '') => api.send('/api/op/qpu/drain', { id, drain: on, reason })
  const endMaintenance = () => api.send('/api/op/qpu/maintenance', { id, maintenance: false })

  const disable = async () => {
    const { confirmed } = await dialogs.ask({
      title: `Disable ${name}?`,
      body: 'Its drivers are disconnected, the running job is requeued, and new jobs are refused.',
      action: 'Disable',
      tone: 'bad',
    })
    if (confirmed) await act(() => toggle(false), `${name} is disabled`)
  }
  const startDrain = async () => {
    const { confirmed, reason } = await dialogs.ask({
      title: `Drain ${name}?`,
      body: 'The running job finishes. Other jobs and new ones wait until you end the drain.',
      action: 'Drain',
      reason: { label: 'Reason, which users read' },
    })
    if (confirmed) await act(() => drain(true, reason), `${name} is draining`)
  }
  const remove = async () => {
    const found = await api.get(`/api/op/qpu/delete?id=${id}`, contents).catch((failure: unknown) => {
      toast(`What belongs to ${name} was not read: ${asApiError(failure).message}`, 'bad')
    })
    if (!found) return
    const { confirmed } = await dialogs.ask({
      title: `Delete ${name}?`,
      body: `${deletedText(found)} Owners of bookings are notified; jobs and calibration reports stay. This cannot be undone.`,
      action: 'Delete QPU',
      tone: 'bad',
      typed: name,
    })
    if (!confirmed) return
    const isDone = await act(() => api.send('/api/op/qpu/delete', { id }), `${name} is deleted`, 'deleted')
    if (isDone) onDeleted?.()
  }
  return [
    qpu.enabled
      ? { title: 'Disable…', run: () => void disable() }
      : { title: 'Enable', run: () => void act(() => toggle(true), `${name} is enabled`) },
    qpu.maintenance
      ? {
          title: 'End maintenance',
          run: () => void act(endMaintenance, `The maintenance of ${name} has ended`),
        }
      : { title: 'Start maintenance…', run: startMaintenance },
    qpu.draining
      ? { title: 'End drain', run: () => void act(() => drain(false), `${name} takes jobs again`) }
      : { title: 'Drain…', run: () => void startDrain() },
    { title: 'Delete…', tone: 'bad', run: () => void remove() },
  ]
}
