import type { Monitor, Threshold } from '../../api/model/equipment/monitoring.ts'
import type { Resource } from '../../api/resource.ts'
import { useApp } from '../../app/app.ts'
import { formatSpan, parseTime } from '../../lib/time.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { useDialog } from '../../parts/form/use-dialog.ts'
import type { Channel } from '../../parts/monitor/channels.ts'
import { Empty, Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { useAction } from '../../parts/use-confirm.ts'
import { describeLimit } from './readings/lead.ts'
import { ThresholdForm } from './ThresholdForm.tsx'

interface ThresholdsProps {
  monitor: Monitor
  thresholds: Resource<Threshold[]>
  channels: readonly Channel[]
  now: number
}

/** The limits of a monitor's channels and whether they are exceeded; superusers change them. */
export function Thresholds({ monitor, thresholds, channels, now }: ThresholdsProps) {
  const { superuser } = useApp()
  const [editing, edit] = useDialog<Threshold | undefined>((threshold, close) => (
    <Dialog title={threshold ? 'Change the limit' : 'Add a limit'} open onClose={close}>
      <ThresholdForm
        monitor={monitor}
        channels={channels}
        threshold={threshold}
        close={close}
        onSaved={() => void thresholds.load()}
      />
    </Dialog>
  ))
  const add = (
    <button type="button" onClick={() => edit(undefined)}>
      Add a limit…
    </button>
  )
  return (
    <Panel title="Limits" aside={superuser.value && add}>
      <Loaded of={thresholds} task="load the limits" rows={2}>
        {(list) =>
          list.length === 0 ? (
            <Empty>No channel has a limit. A limit reports values that are too high, too low or late.</Empty>
          ) : (
            <Table
              list={list}
              channels={channels}
              now={now}
              onEdit={superuser.value ? edit : undefined}
              onRemoved={() => void thresholds.load()}
            />
          )
        }
      </Loaded>
      <p class="hint padded">
        A limit that is exceeded notifies everybody.
        {superuser.value && (
          <>
            {' '}
            <a href="/settings/webhooks">Webhooks</a> report it to other programs, and{' '}
            <a href="/settings/profile">mails</a> to you.
          </>
        )}
      </p>
      {editing}
    </Panel>
  )
}

interface TableProps {
  list: readonly Threshold[]
  channels: readonly Channel[]
  now: number
  onEdit: ((threshold: Threshold) => void) | undefined
  onRemoved: () => void
}

function Table({ list, channels, now, onEdit, onRemoved }: TableProps) {
  const { api, named } = useApp()
  const act = useAction()
  const remove = async ({ id, name }: Threshold) => {
    const body = 'Its state and its notification are deleted too. Its events stay in the log.'
    await act({ title: `Delete the limit ${name}?`, body, action: 'Delete', tone: 'bad' }, async () => {
      await api.remove(`/api/collections/${named('thresholds')}/records/${id}`)
      onRemoved()
    })
  }
  const labelOf = (channel: string) => channels.find((one) => one.channel === channel)?.label ?? channel
  const columns: Column<Threshold>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'State', phone: 'state', cell: (threshold) => stateOf(threshold, now) },
    { title: 'Channel', cell: ({ channel }) => labelOf(channel) },
    {
      title: 'Reported when',
      cell: (threshold) => {
        const lasts = threshold.for_seconds > 0 && ` for ${formatSpan(threshold.for_seconds * 1_000)}`
        return [describeLimit(threshold), lasts]
      },
    },
    ...(onEdit ? [actionsColumn({ edit: onEdit, remove: (threshold) => void remove(threshold) })] : []),
  ]
  return <DataTable label="Limits" rows={list} columns={columns} id={({ id }) => id} />
}

function actionsColumn(run: Record<'edit' | 'remove', (threshold: Threshold) => void>): Column<Threshold> {
  return {
    title: 'Actions',
    untitled: true,
    number: true,
    cell: (threshold) => (
      <span class="row-actions">
        <button type="button" class="link" onClick={() => run.edit(threshold)}>
          Change<span class="unseen"> {threshold.name}</span>
        </button>
        <button type="button" class="link" onClick={() => run.remove(threshold)}>
          Delete<span class="unseen"> {threshold.name}</span>
        </button>
      </span>
    ),
  }
}

function stateOf({ enabled, since, breached_at }: Threshold, now: number) {
  const start = parseTime(since)
  const span = start === undefined ? '' : ` for ${formatSpan(Math.max(0, now - start))}`
  if (!enabled) return <Status tone="idle" glyph="ring" word="Disabled" />
  if (breached_at) return <Status tone="bad" glyph="triangle" word={`Exceeded${span}`} />
  if (since) return <Status tone="warn" glyph="triangle" word={`Exceeded${span}, not yet reported`} />
  return <Status tone="ok" glyph="check" word="Within" />
}
