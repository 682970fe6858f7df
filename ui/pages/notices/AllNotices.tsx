import { useSignal } from '@preact/signals'
import { type Notice, notices as schema } from '../../api/model/notices.ts'
import { useApp } from '../../app/app.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { usePages } from '../../parts/table/Pager.tsx'
import { useAction } from '../../parts/use-confirm.ts'
import { Composer } from './Composer.tsx'
import { noticeState } from './notice-state.ts'

const PAGE_SIZE = 25

/** All notices, for superusers, who write them. */
export function AllNotices() {
  const { api, named } = useApp()
  const act = useAction()
  /** The notice being edited; `new` while one is written. */
  const editing = useSignal<Notice | 'new' | undefined>(undefined)
  const path = `/api/collections/${named('notifications')}/records`
  const { page, by, pages, sort } = usePages(PAGE_SIZE, '-created')
  const list = useResource(
    (abort) => api.get(`${path}?perPage=${PAGE_SIZE}&page=${page}&sort=${by}`, schema, abort),
    [page, by],
  )
  useLive('notifications/*', () => list.loadSoon())
  const remove = async ({ id, title }: Notice) => {
    const body = 'It disappears for everybody. To stop showing it but keep it, set its end.'
    const isGone = await act(
      { title: `Delete the notice “${title}”?`, body, action: 'Delete', tone: 'bad' },
      () => api.remove(`${path}/${id}`),
      'The notice was deleted.',
    )
    if (isGone) await list.load()
  }
  const now = Date.now()
  const items = list.value.value?.items
  const shown = items?.filter((notice) => noticeState(notice, now).word === 'Shown').length
  const write = (
    <button type="button" class="primary" onClick={() => (editing.value = 'new')}>
      New notice
    </button>
  )
  return (
    <>
      <Heading
        title="Notices"
        lead={shown !== undefined && `${sentence(formatNumberOf(shown, 'notice'))} shown to users now.`}
      >
        {write}
      </Heading>
      <Panel title="All notices">
        <Loaded of={list} task="load the notices" rows={5}>
          {(loaded) => (
            <DataTable
              label="Notices"
              rows={loaded.items}
              id={({ id }) => id}
              busy={list.loading.value}
              sort={sort}
              pages={{ ...pages, total: loaded.totalItems }}
              empty={
                <Empty action={write}>There are no notices. Announce maintenance before it begins.</Empty>
              }
              columns={[
                {
                  title: 'Title',
                  sort: 'title',
                  cell: (notice) => (
                    <button type="button" class="link" onClick={() => (editing.value = notice)}>
                      {notice.title}
                    </button>
                  ),
                },
                {
                  title: 'State',
                  phone: 'state',
                  cell: (notice) => <Status {...noticeState(notice, now)} />,
                },
                {
                  title: 'Recipients',
                  cell: ({ target_users: users }) =>
                    users.length === 0 ? 'everybody' : formatNumberOf(users.length, 'user'),
                },
                {
                  title: 'From',
                  sort: 'start_time',
                  cell: ({ start_time, created }) => <Moment at={start_time || created} />,
                },
                {
                  title: 'Until',
                  sort: 'end_time',
                  cell: ({ end_time }) => <Moment at={end_time} none="no end" />,
                },
                {
                  title: 'Dismissed by',
                  number: true,
                  phone: 'absent',
                  cell: ({ dismissed_by: users }) => users.length,
                },
                {
                  title: 'Actions',
                  untitled: true,
                  number: true,
                  phone: 'wide',
                  cell: (notice) => (
                    <button type="button" onClick={() => void remove(notice)}>
                      Delete<span class="unseen"> {notice.title}</span>
                    </button>
                  ),
                },
              ]}
            />
          )}
        </Loaded>
      </Panel>
      {editing.value && (
        <Composer
          notice={editing.value === 'new' ? undefined : editing.value}
          path={path}
          saved={() => void list.load()}
          close={() => (editing.value = undefined)}
        />
      )}
    </>
  )
}
