import { useApp } from '../app/app.ts'
import { useLive } from '../app/use-resource.ts'
import { Markdown } from '../parts/Markdown.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Moment } from '../parts/Moment.tsx'
import { useDismiss } from '../parts/use-dismiss.ts'

/** Notices shown below the bell; the page has all. */
const SHOWN = 4

/** The bell with the number of notices that were not dismissed. */
export function Bell() {
  const { account } = useApp()
  return account.value ? <UserBell /> : null
}

function UserBell() {
  const { notices } = useApp()
  const dismiss = useDismiss()
  useLive('notifications/*', () => notices.loadSoon())
  const list = notices.value.value ?? []
  return (
    <Menu
      class="quiet bell"
      label={list.length === 0 ? 'Notices' : `Notices, ${list.length} unread`}
      button={
        <>
          <Glyph />
          {list.length > 0 && <span class="badge">{list.length}</span>}
        </>
      }
    >
      <div class="bell-list">
        {list.length === 0 && <p class="soft">No new notices.</p>}
        {list.slice(0, SHOWN).map((notice) => (
          <article key={notice.id}>
            <strong>{notice.title}</strong>
            <Markdown text={notice.description ?? ''} />
            <footer>
              <Moment at={notice.start_time || notice.created} />
              <button type="button" class="link" onClick={() => void dismiss([notice.id])}>
                Dismiss<span class="unseen"> {notice.title}</span>
              </button>
            </footer>
          </article>
        ))}
        <div class="bell-foot">
          <a href="/notices">{list.length > SHOWN ? `All ${list.length} notices` : 'All notices'}</a>
          {list.length > 1 && (
            <button type="button" class="link" onClick={() => void dismiss(list.map(({ id }) => id))}>
              Dismiss all
            </button>
          )}
        </div>
      </div>
    </Menu>
  )
}

function Glyph() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M8 1.2a4.3 4.3 0 0 0-4.3 4.3v3.2L2.2 11.4v.9h11.6v-.9l-1.5-2.7V5.5A4.3 4.3 0 0 0 8 1.2zm0 1.4a2.9 2.9 0 0 1 2.9 2.9v3.6l1 1.8H4.1l1-1.8V5.5A2.9 2.9 0 0 1 8 2.6zM6.2 13.2a1.8 1.8 0 0 0 3.6 0z" />
    </svg>
  )
}
