import { useSignal } from '@preact/signals'
import { asApiError } from '../../api/api.ts'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { Menu } from '../../parts/Menu.tsx'
import { MaintenanceDialog } from './MaintenanceDialog.tsx'

/** What superusers do with a QPU: switch, maintain, drain, delete. */
export function QpuActions({ qpu, onDeleted }: { qpu: Qpu; onDeleted?: () => void }) {
  const { api, dialogs, toast, qpus } = useApp()
  const maintaining = useSignal(false)
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
    const { confirmed } = await dialogs.ask({
      title: `Delete ${name}?`,
      body: 'Its drivers are deleted too, and have to be registered again. This cannot be undone.',
      action: 'Delete QPU',
      tone: 'bad',
      typed: name,
    })
    if (!confirmed) return
    const isDone = await act(() => api.send('/api/op/qpu/delete', { id }), `${name} is deleted`, 'deleted')
    if (isDone) onDeleted?.()
  }
  const endMaintenance = () => api.send('/api/op/qpu/maintenance', { id, maintenance: false })
  const items = [
    qpu.enabled
      ? { title: 'Disable…', run: () => void disable() }
      : { title: 'Enable', run: () => void act(() => toggle(true), `${name} is enabled`) },
    qpu.maintenance
      ? {
          title: 'End maintenance',
          run: () => void act(endMaintenance, `The maintenance of ${name} has ended`),
        }
      : {
          title: 'Start maintenance…',
          run: () => {
            maintaining.value = true
          },
        },
    qpu.draining
      ? { title: 'End drain', run: () => void act(() => drain(false), `${name} takes jobs again`) }
      : { title: 'Drain…', run: () => void startDrain() },
    { title: 'Delete…', tone: 'bad' as const, run: () => void remove() },
  ]
  return (
    <>
      <Menu button="Actions" label={`Actions for ${name}`} items={items} />
      <MaintenanceDialog
        qpu={qpu}
        open={maintaining.value}
        onClose={() => {
          maintaining.value = false
        }}
      />
    </>
  )
}
