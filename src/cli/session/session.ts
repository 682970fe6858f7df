import type * as wire from '../../../clients/js/src/generated/wire.gen.ts'
import { Sessions } from '../../../clients/js/src/sessions.ts'
import type { Transport } from '../../../clients/js/src/transport.ts'
import { flag, kinds, requiredFlag } from '../../base/index.ts'
import { CONNECTION_FLAGS, withStatus, withTransport } from '../client/connection.ts'
import { plain, table } from '../client/output.ts'
import { defineCommand, defineGroup } from '../command-line/command.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { FOR_FLAG, holderOf, pathOf, stateOf } from './describe-session.ts'
import { mirrorCommand, planCommand } from './plan.ts'
import { startCommand } from './start.ts'

const SESSION = {
  name: 'SESSION',
  help: 'Id of a session; in a batch job its own if unset',
  isOptional: true,
}
/** Holders that a response has at most. */
const MAX_LISTED_HOLDERS = 50
const STATES = ['queued', 'active', 'paused', 'closed'] as const

const listCommand = defineCommand({
  summary: 'List your sessions, newest first; in a batch job its own',
  flags: {
    state: flag(kinds.choice(STATES), 'Only sessions in this state'),
    qpu: flag(kinds.nonEmptyText('name'), 'Only sessions of this QPU'),
    for: FOR_FLAG,
    limit: flag(kinds.integer({ min: 1, max: 200 }), 'Number of sessions', { default: '20' }),
    ...CONNECTION_FLAGS,
  },
  run: ({ flags }) => {
    const { state, qpu, limit } = flags
    return withTransport(flags, (transport) => list(transport, { state, qpu, limit, holder: flags.for }))
  },
  print(sessions) {
    if (sessions.length === 0) return console.log('No sessions')
    const rows = sessions.map((session) => [
      session.id,
      session.qpu_target,
      session.mode,
      stateOf(session),
      `${session.held_seconds} s`,
      holdersOf(session),
    ])
    console.log(table(['SESSION', 'QPU', 'MODE', 'STATE', 'HELD', 'FOR'], rows).join('\n'))
  },
})

/** Those who hold it now, such as `slurm:1234`. */
function holdersOf(session: wire.Session): string {
  return openHolders(session)
    .map(({ kind, name }) => (name === '' ? kind : `${kind}:${name}`))
    .join(', ')
}

function openHolders({ holders }: wire.Session): wire.SessionHolder[] {
  return holders.filter(({ ended_at }) => ended_at === '')
}

function list(
  transport: Transport,
  query: { state?: string | undefined; qpu?: string | undefined; holder?: string | undefined; limit: number },
): Promise<wire.Session[]> {
  return transport.request('GET', '/api/sessions', { query })
}

const endCommand = defineCommand({
  summary: 'End sessions, or what holds them for a batch job; a running job ends first',
  positionals: [{ ...SESSION, isRepeatable: true }],
  flags: {
    for: FOR_FLAG,
    reason: flag(kinds.text(), 'Why a superuser ends it; the user reads it', { default: '' }),
    ...CONNECTION_FLAGS,
  },
  run({ flags, positionals }) {
    const { for: holder, reason } = flags
    if (holder !== undefined && positionals.length > 0)
      throw new UsageError('--for finds the session; leave out SESSION')
    return withTransport(flags, async (transport) => {
      const ends =
        holder === undefined
          ? (await named(transport, positionals)).map((one) => ({ ...one, query: { reason } }))
          : await holdsFor(transport, holder)
      const ended: wire.Session[] = []
      for (const { id, ...options } of ends)
        ended.push(await transport.request('DELETE', pathOf(id), options))
      return ended
    })
  },
  print(ended) {
    if (ended.length === 0) console.log('No open session')
    for (const session of ended) console.log(endOf(session))
  },
})

/** What the command has ended: a session, or a hold of one that goes on. */
function endOf(session: wire.Session): string {
  const name = `session ${session.id} of ${plain(session.qpu_target)}`
  if (session.end === 'ended') return `Ended ${name}`
  if (session.state === 'closed') return `The ${name} is ${stateOf(session)}`
  const others = openHolders(session).length
  const count = others === MAX_LISTED_HOLDERS ? `${others} or more` : others
  // A cluster does not see who else holds it.
  const who = others === 0 ? '' : ` with ${count} other${others === 1 ? '' : 's'}`
  return `Ended your hold; the ${name} goes on${who}: ${stateOf(session)}`
}

/** What ends the holders of open sessions that have this name. */
async function holdsFor(transport: Transport, holder: string) {
  const { kind, id: name } = holderOf(holder)
  const sessions = await list(transport, { holder, limit: 200 })
  return sessions.flatMap(({ id, holders }) =>
    holders
      .filter((each) => each.kind === kind && each.name === name && each.ended_at === '')
      .map((each) => ({ id, query: { holder: each.id } })),
  )
}

const extendCommand = defineCommand({
  summary: 'Change how long a session lasts after its first activation',
  positionals: [SESSION],
  flags: {
    seconds: requiredFlag(kinds.integer({ min: 1 }), 'How long it lasts after its first activation'),
    ...CONNECTION_FLAGS,
  },
  run: ({ flags, positionals }) =>
    withTransport(flags, async (transport) => {
      const [{ id, token }] = await named(transport, positionals)
      const body = { seconds: flags.seconds }
      return transport.request<wire.Session>('PATCH', pathOf(id), { body, token, isRepeatable: true })
    }),
  print: (session) =>
    console.log(`Session ${session.id} of ${plain(session.qpu_target)}: ${stateOf(session)}`),
})

interface Named {
  id: string
  /** In place of that of the command. */
  token?: string
}

/**
 * The sessions that a call names; without any that of SVC_SESSION, with its secret, which ends what holds it
 * for this batch job alone.
 * @throws UsageError without either.
 */
async function named(transport: Transport, ids: readonly string[]): Promise<readonly [Named, ...Named[]]> {
  const [first, ...others] = ids.map((id) => ({ id }))
  if (first) return [first, ...others]
  const { session: token } = transport.place
  if (token === undefined) throw new UsageError('no SESSION; svc session list shows yours')
  const { id } = await withStatus(() => new Sessions(transport).ofSecret(token, undefined), 'session')
  return [{ id, token }]
}

export const sessionCommand = defineGroup('Hold a QPU without a booking', {
  start: () => startCommand,
  end: () => endCommand,
  extend: () => extendCommand,
  list: () => listCommand,
  plan: () => planCommand,
  mirror: () => mirrorCommand,
})
