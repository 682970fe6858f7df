import { drivers, revokeLease } from '../../../db/store/qpus/index.ts'
import { defineBehavior } from '../behavior.ts'
import { hashSent } from './hash-sent.ts'

type Row = { enabled: boolean; token: string; qpu: string; operation: string }

/** Drivers: tokens are stored as hashes; changes that invalidate a connection end it. */
export const driversBehavior = defineBehavior(drivers, {
  creating: (_, values) => hashSent(values, 'token'),
  // The lease refers to the previous QPU and operation.
  updating({ tx }, before, patch) {
    hashSent(patch, 'token', before.token)
    if (endsConnection(before, { ...before, ...patch })) revokeLease(tx, before.id)
  },
  removing: ({ tx }, { id }) => revokeLease(tx, id),
  committed({ service: { context } }, { before, after }) {
    if (!before) return
    if (!after) context.hub.disconnect(before.id, 'driver deleted')
    else if (endsConnection(before, after)) {
      context.hub.disconnect(before.id, after.enabled ? 'driver changed' : 'driver disabled')
    }
  },
})

function endsConnection(before: Row, after: Row): boolean {
  const isMoved = before.qpu !== after.qpu || before.operation !== after.operation
  return (before.enabled && !after.enabled) || before.token !== after.token || isMoved
}
