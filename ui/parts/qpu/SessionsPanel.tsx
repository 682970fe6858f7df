import { useEffect, useMemo } from 'preact/hooks'
import { SECOND_MS } from '../../../src/base/portable/units.ts'
import { type Session, sessions } from '../../api/model/qpus/sessions.ts'
import { useApp } from '../../app/app.ts'
import type { Question } from '../../app/dialogs.ts'
import { useNow } from '../../app/use-now.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { idleText, shortTime, startText } from '../../jobs/occupancy.ts'
import { formatOrdinal, formatSeconds } from '../../lib/format.ts'
import { createOwners } from '../account/owners.ts'
import { useDialog } from '../form/use-dialog.ts'
import { Panel } from '../Panel.tsx'
import { type Column, DataTable } from '../table/DataTable.tsx'
import { useAction } from '../use-confirm.ts'
import { ExtendDialog } from './ExtendDialog.tsx'

const SPACING_MS = 1_000
const MAX_LISTED = 200

/** The open sessions that the account may see, of one QPU or of all; nothing when there are none. */
export function SessionsPanel({ qpu }: { qpu?: string }) {
  const { auth } = useApp()
  return auth.current.value ? <OwnSessions {...(qpu !== undefined && { qpu })} /> : null
}

function OwnSessions({ qpu }: { qpu?: string }) {
  const app = useApp()
  const { api, superuser } = app
  const query = new URLSearchParams({ limit: String(MAX_LISTED), ...(qpu !== undefined && { qpu }) })
  const found = useResource((abort) => api.get(`/api/sessions?${query}`, sessions, abort), [qpu])
  useLive('sessions/*', () => found.loadSoon(SPACING_MS))
  const owners = useMemo(() => createOwners(app), [])
  const open = (found.value.value ?? []).filter(({ state }) => state !== 'closed')
  const users = superuser.value ? open.map(({ user }) => user) : []
  useEffect(() => owners.need(users), [users.join()])
  if (open.length === 0) return null
  return (
    <Panel title={superuser.value ? 'Sessions' : 'Your sessions'}>
      <Table
        open={open}
        isOfOne={qpu !== undefined}
        nameOf={superuser.value ? owners.name : undefined}
        changed={() => found.loadSoon(0)}
      />
    </Panel>
  )
}

interface TableProps {
  open: readonly Session[]
  isOfOne: boolean
  /** Absent where all are the account's own. */
  nameOf: ((user: string) => string) | undefined
  changed: () => void
}

function Table({ open, isOfOne, nameOf, changed }: TableProps) {
  const { qpus } = useApp()
  const [extending, extend] = useDialog<Session>((session, close) => (
    <ExtendDialog
      session={session}
      close={() => {
        close()
        changed()
      }}
    />
  ))
  const end = useEnd(nameOf !== undefined, changed)
  const name: Column<Session> = {
    title: 'QPU',
    cell: ({ qpu_target: target }) => <a href={`/qpus/${encodeURIComponent(target)}`}>{target}</a>,
  }
  const columns: Column<Session>[] = [
    ...(isOfOne ? [] : [name]),
    ...(nameOf ? [{ title: 'User', cell: ({ user }: Session) => nameOf(user) }] : []),
    {
      title: 'State',
      phone: 'wide',
      cell: (session) => (
        <State
          session={session}
          idleSince={qpus.value.value?.find((each) => each.name === session.qpu_target)?.session?.idle_since}
        />
      ),
    },
    { title: 'Jobs of others', cell: ({ mode }) => (mode === 'batch' ? 'run in between' : 'wait') },
    {
      title: 'Charged',
      number: true,
      cell: ({ mode, held_seconds: held, max_cost_seconds: most }) =>
        mode === 'batch' ? 'by job' : `${formatSeconds(held)} of at most ${formatSeconds(most)}`,
    },
    {
      title: 'Actions',
      untitled: true,
      cell: (session) => (
        <span class="row-actions">
          <button type="button" class="link" onClick={() => extend(session)}>
            Extend…<span class="unseen"> the session on {session.qpu_target}</span>
          </button>
          <button type="button" class="link" onClick={() => void end(session)}>
            End…<span class="unseen"> the session on {session.qpu_target}</span>
          </button>
        </span>
      ),
    },
  ]
  return (
    <>
      <DataTable label="Sessions" rows={open} columns={columns} id={({ id }) => id} />
      {extending}
    </>
  )
}

/** Asks, and ends a session; superusers say why. */
function useEnd(isOperator: boolean, changed: () => void) {
  const { api } = useApp()
  const act = useAction()
  return async ({ id, qpu_target: target }: Session) => {
    const question: Question = {
      title: `End the session on ${target}?`,
      body: 'A job that runs finishes; jobs that wait stay in the queue, but those of its secret are cancelled.',
      action: 'End the session',
      tone: 'bad',
      ...(isOperator && { reason: { label: 'Reason, which the user reads', required: true } }),
    }
    const work = (reason: string) =>
      api.remove(`/api/sessions/${id}${isOperator ? `?reason=${encodeURIComponent(reason)}` : ''}`)
    if (await act(question, work, 'The session has ended.')) changed()
  }
}

const PAUSES: Readonly<Record<string, string>> = {
  idle: 'no job came',
  disabled: 'the QPU is disabled',
  maintenance: 'the QPU is in maintenance',
  draining: 'the QPU is draining',
  offline: 'the QPU is offline',
  calibrating: 'the QPU is being calibrated',
}

/** `Until 14:20, idle 12 s`, `Queued, 2nd, starts 14:20–15:00`, `Paused, no job came; until 14:20`. */
function State({ session, idleSince }: { session: Session; idleSince: string | null | undefined }) {
  const { zone } = useApp()
  const now = useNow(SECOND_MS).value
  const { state, position, expected_start: start, paused_by: by, ends_at: end } = session
  const until = `until ${shortTime(end ?? '', now, zone.value)}`
  if (state === 'active') return <>{`Active ${until}${idleText(idleSince, now)}`}</>
  if (state === 'paused') return <>{`Paused, ${PAUSES[by ?? ''] ?? by}; ${until}`}</>
  const begins = startText(start, now, zone.value)
  return <>{`Queued, ${formatOrdinal(position ?? 1)}${begins ? `, starts ${begins}` : ''}`}</>
}
