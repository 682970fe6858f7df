import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import type { Monitor } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { formatBeside } from '../../lib/reading.ts'
import { formatSpan } from '../../lib/time.ts'
import { useDialog } from '../../parts/form/use-dialog.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Empty, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { type BookHead, BookTable } from '../../parts/table/BookTable.tsx'
import { useAction } from '../../parts/use-confirm.ts'
import { NoteDialog } from './NoteDialog.tsx'
import type { Incident } from './readings/incidents.ts'
import { describeLimit } from './readings/lead.ts'

const HEAD: readonly BookHead[] = [
  'Start',
  'Event',
  'Channel',
  ['Peak', 'number'],
  'End',
  ['Lasted', 'number'],
  ['Actions', 'unseen'],
]

/** Rows that are shown at first. */
const FIRST_ROWS = 12

interface IncidentListProps {
  incidents: readonly Incident[]
  stepMs: number
  monitor: Monitor
  onZoom: (from: number, to: number) => void
  /** Called after a note was added or removed. */
  onNoted: () => void
}

/** What happened in the visible time, the newest first, with notes that superusers add. */
export function IncidentList({ incidents, monitor, onZoom, onNoted }: IncidentListProps) {
  const { superuser } = useApp()
  const [noting, note] = useDialog((_, close) => (
    <NoteDialog monitor={monitor} close={close} onAdded={onNoted} />
  ))
  const showsAll = useSignal(false)
  const rows = showsAll.value ? incidents : incidents.slice(0, FIRST_ROWS)
  const add = (
    <button type="button" onClick={() => note()}>
      Add a note…
    </button>
  )
  return (
    <Panel title="Events" aside={superuser.value && add}>
      {incidents.length === 0 ? (
        <Empty>Nothing exceeded a limit, and no reading is missing.</Empty>
      ) : (
        <div class="scroll">
          <BookTable head={HEAD} class="folds incidents">
            {rows.map((incident) => (
              <Row
                key={`${incident.kind} ${incident.at} ${keyOf(incident)}`}
                incident={incident}
                monitor={monitor}
                onZoom={onZoom}
                onNoted={onNoted}
              />
            ))}
          </BookTable>
        </div>
      )}
      {rows.length < incidents.length && (
        <div class="padded">
          <button type="button" onClick={() => (showsAll.value = true)}>
            Show all {incidents.length}
          </button>
        </div>
      )}
      {noting}
    </Panel>
  )
}

function keyOf(incident: Incident): string {
  if (incident.kind === 'breach') return incident.breach.threshold.id
  if (incident.kind === 'stale') return incident.channel.key
  return incident.kind === 'note' ? incident.note.id : ''
}

interface RowProps {
  incident: Incident
  monitor: Monitor
  onZoom: (from: number, to: number) => void
  onNoted: () => void
}

function Row({ incident, monitor, onZoom, onNoted }: RowProps) {
  const { at, until, isOpen } = incident
  const lasted = until ?? (isOpen ? Date.now() : undefined)
  return (
    <tr>
      <th scope="row">
        <Moment at={at} />
      </th>
      <td class="wide">{describeEvent(incident)}</td>
      <td class="absent">{channelOf(incident)}</td>
      <td class="number" data-title="Peak">
        {peakOf(incident)}
      </td>
      <td class="absent">{isOpen ? 'still open' : until === undefined ? '' : <Moment at={until} />}</td>
      <td class="number" data-title="Lasted">
        {lasted === undefined ? '' : formatSpan(lasted - at)}
      </td>
      <td class="number">
        <RowActions incident={incident} monitor={monitor} onZoom={onZoom} onNoted={onNoted} />
      </td>
    </tr>
  )
}

function describeEvent(incident: Incident): ComponentChildren {
  switch (incident.kind) {
    case 'breach': {
      const { threshold } = incident.breach
      return (
        <>
          <Status
            tone="bad"
            glyph="triangle"
            word={threshold.kind === 'above' ? 'Over limit' : 'Below limit'}
          />{' '}
          {threshold.name}, {describeLimit(threshold)}
        </>
      )
    }
    case 'stale':
      return <Status tone="warn" glyph="triangle" word="No reading" />
    case 'gap':
      return <Status tone="idle" glyph="ring" word="No data" />
    case 'calibration':
      return (
        <>
          <Status tone="run" glyph="half" word="Calibration" /> {incident.run.mode.replace('_', ' ')}
          {incident.run.status === 'failed' && ', failed'}
        </>
      )
    case 'maintenance':
      return (
        <>
          <Status tone="warn" glyph="triangle" word="Maintenance" /> {incident.reason}
          {incident.expected && incident.isOpen && (
            <>
              {' '}
              until about <Moment at={incident.expected} />
            </>
          )}
        </>
      )
    case 'note':
      return (
        <span class="note-text">
          <strong>● Note</strong> {incident.note.author && `by ${incident.note.author}: `}
          {incident.note.text}
        </span>
      )
  }
}

function channelOf(incident: Incident): string {
  if (incident.kind === 'breach') return incident.breach.channel.label
  if (incident.kind === 'stale') return incident.channel.label
  return incident.kind === 'gap' ? 'all channels' : ''
}

function peakOf(incident: Incident): string {
  if (incident.kind !== 'breach') return ''
  const { peak, channel, threshold } = incident.breach
  return formatBeside(peak, channel.unit, [threshold.limit])
}

function RowActions({ incident, monitor, onZoom, onNoted }: RowProps) {
  const { api, named, superuser } = useApp()
  const act = useAction()
  const { at, until = Date.now() } = incident
  const margin = Math.max(MINUTE_MS, (until - at) / 2)
  if (incident.kind === 'calibration') {
    return incident.run.result ? <a href={`/calibrations/${incident.run.result}`}>Report</a> : null
  }
  if (incident.kind === 'stale') return <a href={`/drivers/${monitor.id}`}>Driver</a>
  if (incident.kind !== 'note') {
    return (
      <button type="button" class="link" onClick={() => onZoom(at - margin, until + margin)}>
        Zoom
      </button>
    )
  }
  if (!superuser.value) return null
  const remove = async () => {
    const { id, text } = incident.note
    await act({ title: 'Delete the note?', body: text, action: 'Delete', tone: 'bad' }, async () => {
      await api.remove(`/api/collections/${named('notes')}/records/${id}`)
      onNoted()
    })
  }
  return (
    <button type="button" class="link" onClick={remove}>
      Delete<span class="unseen"> the note</span>
    </button>
  )
}
