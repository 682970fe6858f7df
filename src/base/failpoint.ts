import { writeSync } from 'node:fs'
import { AppError } from './error.ts'

declare module 'bun:bundle' {
  interface Registry {
    features: 'FAILPOINTS'
  }
}

/** Intents of `Database.write` that can be made to fail. */
const INTENTS = [
  'submit job',
  'mark job started',
  'finish job',
  'toggle qpu',
  'update qpu_time_requests',
  'create time_slots',
  'queue calibration',
  'claim calibrations',
  'store report',
  'declare recall',
  'refund recalled jobs',
  'undo recall',
  'start session',
  'settle sessions',
  'end session',
] as const

/** Before its work; done but not committed; committed, but no subscriber notified. */
const STEPS = ['before', 'inside', 'after'] as const

/** Everything else that can be made to fail, each at one line of the code. */
const PLACES = [
  'schema.inside',
  'migration.copied',
  'migration.inside',
  'migration.after',
  'checkpoint.begun',
  'checkpoint.sent',
  'checkpoint.paused',
  'checkpoint.ended',
  'backup.copied',
  'backup.checked',
  'backup.renamed',
  'restore.staged',
  'restore.stopped',
  'restore.journaled',
  'restore.moved',
  'restore.kept',
  'restore.replaced',
  'restore.opened',
  'restore.started',
  'restore.accepted',
  'restore.withdrawn',
  'restore.returned',
  'pair.writing',
  'pair.key-waits',
  'pair.cert-renamed',
  'pair.key-renamed',
  'dispatch.claiming',
  'dispatch.claimed',
  'dispatch.sent',
  'result.acknowledged',
  'calibration.sent',
  'job.taken',
  'job.executed',
  'calibration.taken',
  'calibration.executed',
  'outbox.writing',
  'outbox.written',
  'outbox.sent',
  'webhook.sending',
  'webhook.sent',
  'mail.claimed',
  'mail.sent',
  'session.charge-stored',
] as const

/** Name of a failure point: a place, or a step of a write such as `finish job.inside`. */
export type Failpoint = (typeof PLACES)[number] | `${string}.${(typeof STEPS)[number]}`

/**
 * Every name that `armFailpoint` accepts. A function, so that the bundler can drop the names with their user.
 */
export function listFailpoints(): string[] {
  return [...INTENTS.flatMap((intent) => STEPS.map((step) => `${intent}.${step}`)), ...PLACES]
}

const ACTIONS = ['kill', 'throw', 'hang'] as const

interface Armed {
  name: string
  /** Remaining visits until it acts, this one included. */
  left: number
  action: (typeof ACTIONS)[number]
}

// One for the process: passing it through every call would slow the released executable down.
let armed: Armed[] = []

/**
 * Arms failure points: `name:nth:kill|throw|hang`, such as `finish job.inside:1:kill`, separated by commas;
 * absent or empty for none.
 * `kill` ends the process as SIGKILL does, `hang` stops its only thread for good, `throw` throws an Error.
 * @throws AppError `invalid` that lists the valid names.
 */
export function armFailpoint(text: string | undefined): void {
  armed = text ? text.split(',').map(parse) : []
}

function parse(text: string): Armed {
  const [name = '', nth = '', word = '', ...rest] = text.split(':')
  const action = ACTIONS.find((each) => each === word)
  const known = listFailpoints()
  if (!known.includes(name)) {
    throw refusal(`no failure point is called "${name}"; there are: ${known.join(', ')}`)
  }
  if (!/^[1-9]\d{0,5}$/.test(nth)) throw refusal(`"${nth}" is not a count of visits from 1 to 999999`)
  if (!action || rest.length > 0) throw refusal(`"${text}" must end with one of :${ACTIONS.join(', :')}`)
  return { name, left: Number(nth), action }
}

function refusal(problem: string): AppError {
  return new AppError('invalid', `SVC_FAILPOINT: ${problem}`, { reason: 'bad_config' })
}

/**
 * A place at which crash tests make the process fail. Call it as
 * `if (feature('FAILPOINTS')) failpoint('name')`: an executable built without `--failpoints` contains neither
 * the call nor the name.
 */
export function failpoint(name: Failpoint): void {
  const point = armed.find((each) => each.name === name)
  if (!point) return
  point.left -= 1
  if (point.left > 0) return
  const { action } = point
  armed = armed.filter((each) => each !== point)
  writeSync(2, `failpoint ${name}: ${action}\n`)
  if (action === 'kill') process.kill(process.pid, 'SIGKILL')
  if (action === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  throw new Error(`failpoint ${name}`)
}
