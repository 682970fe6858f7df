import * as v from 'valibot'
import { badField } from '../../../base/index.ts'
import { drivers, keepQpuToken, revokeLease } from '../../../db/store/qpus/index.ts'
import { defineBehavior } from '../behavior.ts'
import { hashSent } from '../hash-sent.ts'

type Row = { enabled: boolean; token: string; qpu: string; operation: string }

const MAX_STAGES = 64

const line = (max: number, what: string) =>
  v.pipe(
    v.string(`Must have the text ${what} in each entry`),
    v.trim(),
    v.minLength(1, `Must have a ${what} in each entry that is not empty`),
    v.maxLength(max, `Must have a ${what} of at most ${max} characters in each entry`),
  )
/** Names that a lab gives to the channels of a fridge, in its order; what the page of readings shows. */
const stages = v.nullish(
  v.pipe(
    v.array(
      v.strictObject(
        { channel: line(200, 'channel'), name: line(60, 'name') },
        'Must be a list of {channel, name}',
      ),
      'Must be a list of {channel, name}',
    ),
    v.maxLength(MAX_STAGES, `Must have at most ${MAX_STAGES} entries`),
    v.check(
      (list) => new Set(list.map(({ channel }) => channel)).size === list.length,
      'Must name each channel once',
    ),
  ),
)

/** Drivers: tokens are stored as hashes; changes that invalidate a connection end it. */
export const driversBehavior = defineBehavior(drivers, {
  creating(_, values) {
    readStages(values)
    hashSent(values, 'token')
  },
  // The lease refers to the previous QPU and operation.
  updating({ tx }, before, patch) {
    readStages(patch)
    hashSent(patch, 'token', before.token)
    if (endsConnection(before, { ...before, ...patch })) revokeLease(tx, before.id)
  },
  // The token of its QPU stays that of the same driver.
  updated: ({ tx }, before, after) => keepQpuToken(tx, before.token, after.token),
  removing: ({ tx }, { id }) => revokeLease(tx, id),
  committed({ service: { context } }, { before, after }) {
    if (!before) return
    if (!after) context.hub.disconnect(before.id, 'driver deleted')
    else if (endsConnection(before, after)) {
      context.hub.disconnect(before.id, after.enabled ? 'driver changed' : 'driver disabled')
    }
  },
})

/** Puts the stages into the form that pages read; refuses others. */
function readStages(values: Record<string, unknown>): void {
  if (!('stages' in values)) return
  const read = v.safeParse(stages, values['stages'])
  if (!read.success) {
    const message = `${read.issues[0].message}.`
    throw badField('The stages of a driver name its channels', 'stages', message)
  }
  values['stages'] = read.output ?? null
}

function endsConnection(before: Row, after: Row): boolean {
  const isMoved = before.qpu !== after.qpu || before.operation !== after.operation
  return (before.enabled && !after.enabled) || before.token !== after.token || isMoved
}
