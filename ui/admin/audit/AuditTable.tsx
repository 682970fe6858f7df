import { Moment } from '../../parts/Moment.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { Id } from '../collections/Value.tsx'
import { type AuditEntry, actorOf, detailOf } from './model.ts'

interface AuditTableProps {
  entries: readonly AuditEntry[]
  filter: (changes: Record<string, string>) => void
}

/** Entries of the audit log, newest first. A row opens in place. */
export function AuditTable({ entries, filter }: AuditTableProps) {
  return (
    <DataTable
      label="Entries of the audit log"
      list="audit"
      class="folds audit"
      rows={entries}
      id={({ seq }) => String(seq)}
      columns={[
        { title: 'Time', class: 'time', cell: ({ at }) => <Moment at={at} /> },
        {
          title: 'Action',
          names: true,
          cell: ({ action }) => (
            <button type="button" class="link" onClick={() => filter({ action })}>
              {action}
            </button>
          ),
        },
        {
          title: 'Actor',
          cell: (entry) => (
            <button type="button" class="link" onClick={() => filter({ actor: entry.email || entry.actor })}>
              {actorOf(entry)}
            </button>
          ),
        },
        {
          title: 'Record',
          cell: ({ subject }) =>
            subject && (
              <button type="button" class="link" onClick={() => filter({ subject })}>
                <Id id={subject} />
              </button>
            ),
        },
        {
          title: 'Details',
          phone: 'wide',
          cell: (entry, { isOpen, toggle }) =>
            detailOf(entry) !== '' && (
              <button type="button" class="link summary" aria-expanded={isOpen} onClick={toggle}>
                <code>{summaryOf(entry)}</code>
              </button>
            ),
        },
      ]}
      detail={(entry) => (
        <>
          <pre class="source">{detailOf(entry)}</pre>
          <p class="soft">Entry {entry.seq}</p>
        </>
      )}
    />
  )
}

function summaryOf({ detail }: AuditEntry): string {
  const text = Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
  return text.length > 90 ? `${text.slice(0, 90)}…` : text
}
