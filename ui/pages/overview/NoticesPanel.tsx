import { asApiError } from '../../api/api.ts'
import { useApp } from '../../app/app.ts'
import { useRecords } from '../../app/use-records.ts'
import { Markdown } from '../../parts/Markdown.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { notices as schema } from './model.ts'

const SHOWN = 4

/** The newest notices that the user has not dismissed; nothing without one. */
export function NoticesPanel() {
  const { api, toast, superuser } = useApp()
  const notices = useRecords('notifications', { sort: '-created', perPage: String(SHOWN) }, schema)
  const list = notices.value.value?.items ?? []
  const dismiss = async (ids: readonly string[]) => {
    try {
      for (const id of ids) await api.send(`/api/notifications/${id}/dismiss`, {})
    } catch (failure) {
      toast(`The notice was not dismissed: ${asApiError(failure).message}`, 'bad')
    }
    void notices.load()
  }
  if (list.length === 0) return null
  const mayDismiss = !superuser.value
  return (
    <Panel
      title="Notices"
      aside={
        <div class="actions">
          <a href="/notices">All notices</a>
          {mayDismiss && list.length > 1 && (
            <button type="button" class="quiet" onClick={() => void dismiss(list.map(({ id }) => id))}>
              Dismiss these
            </button>
          )}
        </div>
      }
    >
      <ul class="notices">
        {list.map(({ id, title, description, created }) => (
          <li key={id}>
            <span>
              <strong>{title}</strong>
              <small>
                <Moment at={created} />
              </small>
            </span>
            <Markdown text={description ?? ''} />
            {mayDismiss && (
              <button type="button" class="quiet" onClick={() => void dismiss([id])}>
                Dismiss<span class="unseen"> {title}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
