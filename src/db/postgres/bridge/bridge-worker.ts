/** Entry point of the thread that holds the connections of a bridge, see `bridge.ts`. */
import type { MessagePort } from 'node:worker_threads'
import { type ReservedSQL, SQL } from 'bun'
import { serveWorker } from '../../../base/index.ts'
import type { BridgeLoss, BridgeRequest, bridgeWorker, Outcome, Session } from './bridge.ts'
import { clientOptions } from './client-options.ts'
import { doneOf, fitsJson, refusalOf, run } from './run-statement.ts'

interface Connected {
  readonly client: SQL
  readonly own: ReservedSQL
}

const sessions = new Map<Session, Connected>()
let answers: MessagePort | undefined
let signal = new Int32Array(new SharedArrayBuffer(4))
let isClosing = false

/** `isText`: as JSON, which takes a fifth of the time of copying objects between threads. */
function answer(outcomes: readonly Outcome[], isText = true): void {
  answers?.postMessage(isText ? JSON.stringify(outcomes) : outcomes)
  Atomics.store(signal, 0, 1)
  Atomics.notify(signal, 0)
}

async function open(
  { address, sessions: wanted }: Extract<BridgeRequest, { kind: 'open' }>,
  onLost: (loss: BridgeLoss) => void,
): Promise<void> {
  for (const session of wanted) {
    const onclose = (error: Error | null) => {
      if (!isClosing && sessions.has(session)) {
        onLost({ kind: 'lost', message: error?.message ?? 'the session ended' })
      }
    }
    const client = new SQL({ ...clientOptions(address), max: 1, onclose })
    sessions.set(session, { client, own: await client.reserve() })
  }
}

async function runAll(
  session: Session,
  statements: Extract<BridgeRequest, { kind: 'run' }>['statements'],
): Promise<{ outcomes: Outcome[]; isText: boolean }> {
  const own = sessions.get(session)?.own
  if (!own) throw new TypeError(`the bridge has no session to ${session}`)
  // All are begun before the first is awaited, so that they leave together.
  const running = statements.map((statement) => run(own, statement))
  const settled = await Promise.allSettled(running)
  return {
    isText: settled.every((each) => each.status === 'rejected' || fitsJson(each.value)),
    outcomes: settled.map((each) =>
      each.status === 'fulfilled' ? { done: doneOf(each.value) } : { refusal: refusalOf(each.reason) },
    ),
  }
}

async function close(): Promise<void> {
  isClosing = true
  for (const { client, own } of sessions.values()) {
    own.release()
    await client.close({ timeout: 0 })
  }
}

serveWorker<typeof bridgeWorker>((request, respond) => {
  const refuse = (error: unknown) => answer([{ refusal: refusalOf(error) }])
  switch (request.kind) {
    case 'open':
      answers = request.answers
      signal = new Int32Array(request.signal)
      open(request, respond).then(() => answer([]), refuse)
      break
    case 'run': {
      const done = runAll(request.session, request.statements)
      if (request.isAwaited) done.then(({ outcomes, isText }) => answer(outcomes, isText), refuse)
      else done.catch(() => undefined)
      break
    }
    default:
      close().then(() => answer([]), refuse)
  }
})
