import { Moment } from '../../parts/Moment.tsx'
import { OpeningTable } from '../../parts/table/OpeningTable.tsx'
import { Id } from '../collections/Value.tsx'
import { type AuditEntry, actorOf, detailOf } from './model.ts'

interface AuditTableProps {
  entries: readonly AuditEntry[]
  filter: (changes: Record<string, string>) => void
}

/** Entries of the audit log, newest first. A row opens in place. */
export function AuditTable({ entries, filter }: AuditTableProps) {
  return (
    <OpeningTable
      label="Entries of the audit log"
      class="audit"
      titles={['Time', 'Action', 'Actor', 'Record', 'Details']}
      rows={entries}
      id={({ seq }) => String(seq)}
      cells={(entry, { isOpen, toggle }) => (
        <>
          <td class="time">
            <Moment at={entry.at} />
          </td>
          <th scope="row">
            <button type="button" class="link" onClick={() => filter({ action: entry.action })}>
              {entry.action}
            </button>
          </th>
          <td>
            <button type="button" class="link" onClick={() => filter({ actor: entry.email || entry.actor })}>
              {actorOf(entry)}
            </button>
          </td>
          <td>
            {entry.subject && (
              <button type="button" class="link" onClick={() => filter({ subject: entry.subject })}>
                <Id id={entry.subject} />
              </button>
            )}
          </td>
          <td class="wide">
            {detailOf(entry) !== '' && (
              <button type="button" class="link summary" aria-expanded={isOpen} onClick={toggle}>
                <code>{summaryOf(entry)}</code>
              </button>
            )}
          </td>
        </>
      )}
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
