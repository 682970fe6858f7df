import type { Notice } from '../../api/model/notices.ts'
import { useApp } from '../../app/app.ts'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { Markdown } from '../../parts/Markdown.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Empty, Heading, Loaded } from '../../parts/Panel.tsx'
import { useDismiss } from '../../parts/use-dismiss.ts'

/** The notices of the signed-in user that were not dismissed. */
export function OwnNotices() {
  const { notices } = useApp()
  const dismiss = useDismiss()
  const list = notices.value.value ?? []
  return (
    <>
      <Heading
        title="Notices"
        lead={list.length > 0 && `${sentence(formatNumberOf(list.length, 'notice'))}, newest first.`}
      >
        {list.length > 1 && (
          <button type="button" onClick={() => void dismiss(list.map(({ id }) => id))}>
            Dismiss all
          </button>
        )}
      </Heading>
      <div class="notices stack close">
        <Loaded of={notices} task="load the notices" rows={4}>
          {(items) =>
            items.length === 0 ? (
              <section class="panel">
                <Empty action={<a href="/">Go to the overview</a>}>
                  No new notices. Operators announce maintenance and changes here.
                </Empty>
              </section>
            ) : (
              items.map((notice) => (
                <NoticeCard key={notice.id} notice={notice} dismiss={() => void dismiss([notice.id])} />
              ))
            )
          }
        </Loaded>
      </div>
    </>
  )
}

function NoticeCard({ notice, dismiss }: { notice: Notice; dismiss: () => void }) {
  return (
    <article class="panel notice-card">
      <header>
        <h2>{notice.title}</h2>
        <button type="button" onClick={dismiss}>
          Dismiss<span class="unseen"> {notice.title}</span>
        </button>
      </header>
      <div class="padded">
        <Markdown text={notice.description ?? ''} />
        <p class="soft">
          <Moment at={notice.start_time || notice.created} />
          {notice.end_time && (
            <>
              {', until '}
              <Moment at={notice.end_time} />
            </>
          )}
        </p>
      </div>
    </article>
  )
}
