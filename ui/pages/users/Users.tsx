import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type User, type UserActivity, users } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import type { Condition } from '../../jobs/status.ts'
import { formatColumnSeconds, formatNumberOf, formatSeconds, sentence } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { usePages } from '../../parts/table/Pager.tsx'
import { SaveCsv } from '../../parts/table/SaveCsv.tsx'
import { readActivity } from '../time-requests/activity.ts'
import { NewUserDialog } from './NewUserDialog.tsx'
import { Superusers } from './Superusers.tsx'
import { UserDialog } from './UserDialog.tsx'

const PAGE = 50
const TYPING_MS = 200
const SPACING_MS = 2_000

type Row = User & { activity: UserActivity | undefined }

/** All users with their balance, tokens and last login; superusers create, change and delete them. */
export function UsersPage() {
  const { api, named } = useApp()
  const query = useQuery()
  const creating = useSignal(false)
  const { page, by, pages, sort } = usePages(PAGE, '-created')
  const [text, chosen] = [query.get('q'), query.get('user')]
  const read = async (at: number, perPage: number, abort = new AbortController().signal) => {
    const quoted = JSON.stringify(text)
    const search = text === '' ? '' : ` && (email ~ ${quoted} || username ~ ${quoted})`
    const asked = new URLSearchParams({
      filter: `unlimited = false${search}`,
      sort: by,
      page: String(at),
      perPage: String(perPage),
    })
    const found = await api.get(`/api/collections/${named('users')}/records?${asked}`, users, abort)
    const ids = found.items.map(({ id }) => id)
    const activity = await readActivity(api, ids, abort)
    const items = found.items.map((user): Row => ({ ...user, activity: activity.get(user.id) }))
    return { total: found.totalItems, items }
  }
  const list = useResource((abort) => read(page, PAGE, abort), [text, by, page])
  useLive('users/*', () => list.loadSoon(SPACING_MS))
  const total = list.value.value?.total
  const open = list.value.value?.items.find(({ id }) => id === chosen)
  return (
    <>
      <Heading
        title="Users"
        lead={total !== undefined && text === '' && `${sentence(formatNumberOf(total, 'user'))}.`}
      >
        <Search />
        <button type="button" class="primary" onClick={() => (creating.value = true)}>
          New user
        </button>
      </Heading>
      <Panel
        title="Users"
        aside={
          <SaveCsv
            file="users.csv"
            list="users"
            columns={COLUMNS}
            read={async (at, size) => (await read(at, size)).items}
          />
        }
      >
        <Loaded of={list} task="load the users" rows={8}>
          {({ items, total: all }) => (
            <DataTable
              label="Users"
              list="users"
              rows={items}
              empty={text === '' ? 'There is no user yet.' : `No user matches “${text}”.`}
              columns={COLUMNS}
              id={({ id }) => id}
              href={({ id }) => `/users?${new URLSearchParams({ ...(text ? { q: text } : {}), user: id })}`}
              sort={sort}
              pages={{ ...pages, total: all }}
            />
          )}
        </Loaded>
      </Panel>
      <Superusers />
      <NewUserDialog open={creating} onCreated={() => list.loadSoon()} />
      {open && (
        <UserDialog
          key={open.id}
          user={open}
          onClose={() => query.set({ user: '' })}
          onChange={() => list.loadSoon()}
        />
      )}
    </>
  )
}

const COLUMNS: Column<Row>[] = [
  { title: 'E-mail', sort: 'email', cell: ({ email }) => email, value: ({ email }) => email },
  {
    title: 'Name',
    sort: 'username',
    phone: 'absent',
    cell: ({ username }) => username,
    value: ({ username }) => username,
  },
  {
    title: 'State',
    phone: 'state',
    cell: (user) => <Status {...conditionOf(user)} />,
    value: (user) => conditionOf(user).word,
  },
  {
    title: 'Balance',
    number: true,
    sort: 'qpu_seconds',
    cell: ({ qpu_seconds }) => formatSeconds(qpu_seconds),
    value: ({ qpu_seconds }) => qpu_seconds,
  },
  {
    title: 'Used, last 30 days',
    number: true,
    phone: 'absent',
    cell: ({ activity }) => formatColumnSeconds(activity?.qpu_seconds ?? 0),
    value: ({ activity }) => activity?.qpu_seconds ?? 0,
  },
  {
    title: 'Tokens',
    number: true,
    phone: 'absent',
    cell: ({ api_tokens }) => api_tokens.length,
    value: ({ api_tokens }) => api_tokens.length,
  },
  {
    title: 'Last login',
    phone: 'absent',
    cell: ({ activity }) => <Moment at={activity?.last_login} none="never" />,
    value: ({ activity }) => activity?.last_login,
  },
]

function conditionOf({ disabled, verified }: User): Condition {
  if (disabled) return { tone: 'idle', glyph: 'pause', word: 'Disabled' }
  return verified
    ? { tone: 'ok', glyph: 'check', word: 'Active' }
    : { tone: 'warn', glyph: 'triangle', word: 'Not verified' }
}

/** Searches while it is typed; the address keeps the text. */
function Search() {
  const query = useQuery()
  const typed = useSignal(query.get('q'))
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.peek() !== query.get('q')) query.set({ q: typed.peek(), page: '' })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  return (
    <input
      type="search"
      aria-label="Search users"
      placeholder="E-mail or name"
      value={typed.value}
      onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
    />
  )
}
