import type * as wire from '../../../clients/js/src/generated/wire.gen.ts'
import { randomKey } from '../../../clients/js/src/random-key.ts'
import type { Transport } from '../../../clients/js/src/transport.ts'
import {
  flag,
  fromTimestamp,
  kinds,
  SECOND_MS,
  switchFlag,
  systemClock,
  withTimeout,
} from '../../base/index.ts'
import { CONNECTION_FLAGS, withTransport } from '../client/connection.ts'
import { plain } from '../client/output.ts'
import { defineCommand } from '../command-line/command.ts'
import { ExitError, UsageError } from '../command-line/usage-error.ts'
import { FOR_FLAG, holderOf, pathOf, stateOf } from './describe-session.ts'

const REFUSED = 1
/** No server responds, as of the other commands. */
const NO_SERVER = 69
/** As timeout(1). */
const TIMED_OUT = 124
/** As a shell after Ctrl+C. */
const INTERRUPTED = 130
/** For the withdrawal of a request that was not active in time. */
const END_MS = 2_000
/** The server holds a request that waits no longer. */
const MAX_WAIT_SECONDS = 60

export const startCommand = defineCommand({
  summary: 'Hold a QPU for your programs or for a batch job',
  positionals: [{ name: 'QPU', help: 'Name of the QPU' }],
  flags: {
    seconds: flag(kinds.integer({ min: 1 }), 'How long it lasts after its first activation', {
      default: '3600',
    }),
    idle: flag(kinds.integer({ min: 1 }), 'Seconds without a job after which it is paused', {
      default: '60',
    }),
    mode: flag(
      kinds.choice(['exclusive', 'batch']),
      'exclusive: only your jobs run, and the time is charged; batch: your jobs go first',
      { default: 'exclusive' },
    ),
    for: FOR_FLAG,
    cluster: flag(kinds.nonEmptyText('name'), 'With the API token of a cluster: its name'),
    uid: flag(
      kinds.integer({ min: 1 }),
      'With the API token of a cluster: the user id there whose session it is',
    ),
    until: flag(
      kinds.nonEmptyText('time'),
      'Latest end of what it is held for, such as 2026-01-31T10:05:00Z',
    ),
    wait: flag(
      kinds.integer({ min: 1, max: 86_400 }),
      'Seconds until it must be active: else it is withdrawn, and the exit status is 124; without it, a queued session is a success',
    ),
    printEnv: switchFlag(
      kinds.bool(),
      'Print SVC_ADDR, SVC_SESSION (a secret), SVC_QPU, and SVC_CA_FINGERPRINT if the server has its own root CA, as lines that a shell evaluates',
    ),
    ...CONNECTION_FLAGS,
  },
  run({ flags, positionals: [qpu = ''] }) {
    if (flags.until !== undefined && fromTimestamp(flags.until) === undefined)
      throw new UsageError('--until: expected a time such as 2026-01-31T10:05:00Z')
    const body = bodyOf(qpu, flags)
    return withTransport(flags, async (transport, { address, pin }) => {
      const session = await start(transport, body, flags.wait)
      return { session, address, pin }
    })
  },
  document: ({ session }) => session,
  print({ session, address, pin }, { flags }) {
    const { id, qpu_target: qpu, secret, max_cost_seconds: cost } = session
    if (flags.printEnv) {
      const variables = {
        SVC_ADDR: address,
        SVC_SESSION: secret,
        SVC_QPU: qpu,
        ...(pin && { SVC_CA_FINGERPRINT: pin }),
      }
      for (const [name, value] of Object.entries(variables)) console.log(`export ${name}=${quoted(value)}`)
      return
    }
    console.log(`Session ${id} of ${plain(qpu)}: ${stateOf(session)}; it costs at most ${cost} QPU seconds`)
  },
})

interface StartFlags {
  seconds: number
  idle: number
  mode: 'exclusive' | 'batch'
  for: string | undefined
  until: string | undefined
  cluster: string | undefined
  uid: number | undefined
}

function bodyOf(
  qpu: string,
  { seconds, idle, mode, for: holder, until, cluster, uid }: StartFlags,
): wire.PostSessionsBody {
  return {
    qpu_target: qpu,
    seconds,
    idle_seconds: idle,
    mode,
    ...(cluster !== undefined && { cluster }),
    ...(uid !== undefined && { uid }),
    holder: {
      ...(holder !== undefined && holderOf(holder)),
      ...(until !== undefined && { ends_at: until }),
    },
  }
}

/**
 * Starts a session, and with `wait` returns it active.
 * @throws ExitError 69 without a response in time; 1 if it ends; 124 if it is not active in time. What was
 *   started is ended then.
 */
async function start(
  transport: Transport,
  body: wire.PostSessionsBody,
  wait: number | undefined,
): Promise<wire.StartedSession> {
  const interrupted = new AbortController()
  const { signal } = interrupted
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  let last: wire.StartedSession | undefined
  const progress = async (over: AbortSignal) => {
    for await (const session of follow(transport, body, { wait, signal: over })) last = session
  }
  try {
    const onTimeout = () => Promise.reject(tooLate(last, wait))
    await (wait === undefined
      ? progress(signal)
      : withTimeout(progress, { clock: systemClock, ms: wait * SECOND_MS, signal, onTimeout }))
    if (last && (wait === undefined || last.state === 'active')) return last
    throw new ExitError(REFUSED, `the session is ${last ? stateOf(last) : 'gone'}`)
  } catch (error) {
    if (last && last.state !== 'closed') await withdraw(transport, last)
    throw signal.aborted ? new ExitError(INTERRUPTED, 'Interrupted') : error
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** A new session, and with `wait` each time that it is read until it is active or has ended. */
async function* follow(
  transport: Transport,
  body: wire.PostSessionsBody,
  { wait, signal }: { wait: number | undefined; signal: AbortSignal },
): AsyncGenerator<wire.StartedSession> {
  const headers = { 'Idempotency-Key': randomKey() }
  const options = { body, headers, isRepeatable: true, signal }
  let session = await transport.request<wire.StartedSession>('POST', '/api/sessions', options)
  yield session
  if (wait === undefined) return
  const query = { wait: Math.min(wait, MAX_WAIT_SECONDS) }
  while (session.state !== 'active' && session.state !== 'closed') {
    const read = await transport.request<wire.Session>('GET', pathOf(session.id), { query, signal })
    session = { ...session, ...read }
    yield session
  }
}

function tooLate(last: wire.StartedSession | undefined, wait: number | undefined): ExitError {
  if (!last) return new ExitError(NO_SERVER, `no response within ${wait} s`)
  const what = `${plain(last.qpu_target)} is not held within ${wait} s: ${stateOf(last)}`
  return new ExitError(TIMED_OUT, `${what}; the request is withdrawn`)
}

/** Ends what was started; if that does not succeed, it ends with what it is held for. */
async function withdraw(transport: Transport, { id, holder }: wire.StartedSession): Promise<void> {
  const end = (signal: AbortSignal) => transport.request('DELETE', pathOf(id), { query: { holder }, signal })
  const limit = { clock: systemClock, ms: END_MS, onTimeout: () => undefined }
  await withTimeout(end, limit).catch(() => undefined)
}

/** A value that a shell and a task prolog of Slurm read alike; in quotes only if it needs them. */
function quoted(value: string): string {
  return /^[\w.,:/@%+=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}
