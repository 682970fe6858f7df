import { useApp } from '../../app/app.ts'
import { Markdown } from '../../parts/Markdown.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { useDismiss } from '../../parts/use-dismiss.ts'

const SHOWN = 4

/** The newest notices that the user has not dismissed; nothing without one. */
export function NoticesPanel() {
  const { notices } = useApp()
  const dismiss = useDismiss()
  const list = notices.value.value?.slice(0, SHOWN) ?? []
  if (list.length === 0) return null
  return (
    <Panel
      title="Notices"
      aside={
        <div class="actions">
          <a href="/notices">All notices</a>
          {list.length > 1 && (
            <button type="button" class="quiet" onClick={() => void dismiss(list.map(({ id }) => id))}>
              Dismiss these
            </button>
          )}
        </div>
      }
    >
      <ul class="notices">
        {list.map(({ id, title, description, created }) => (
          <li key={id} class="cluster">
            <span>
              <strong>{title}</strong>
              <small>
                <Moment at={created} />
              </small>
            </span>
            <Markdown text={description ?? ''} />
            <button type="button" class="quiet" onClick={() => void dismiss([id])}>
              Dismiss<span class="unseen"> {title}</span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
