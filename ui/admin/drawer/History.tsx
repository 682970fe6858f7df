import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Loaded } from '../../parts/Panel.tsx'
import { actorOf, auditPage, detailOf } from '../audit/model.ts'

const ENTRIES = 50

/** What the audit log says about a record. */
export function History({ id }: { id: string }) {
  const { api } = useApp()
  const entries = useResource(
    (abort) =>
      api.get(
        `/api/op/audit?${new URLSearchParams({ subject: id, limit: String(ENTRIES) })}`,
        auditPage,
        abort,
      ),
    [id],
  )
  return (
    <div class="drawer-body">
      <Loaded of={entries} task="load the history" rows={4}>
        {({ entries: found, next }) => (
          <>
            {found.length === 0 && (
              <p class="soft">
                The audit log has no entry about this record. It has the actions of superusers, not those of
                users and drivers.
              </p>
            )}
            <ol class="history">
              {found.map((entry) => (
                <li key={entry.seq}>
                  <strong>{entry.action}</strong> <span class="soft">by {actorOf(entry)}</span>
                  <br />
                  <small>
                    <Moment at={entry.at} />
                  </small>
                  {detailOf(entry) !== '' && <pre class="source">{detailOf(entry)}</pre>}
                </li>
              ))}
            </ol>
            {next !== null && (
              <a href={`/_/audit?subject=${encodeURIComponent(id)}`}>Search older entries in the audit log</a>
            )}
          </>
        )}
      </Loaded>
    </div>
  )
}
