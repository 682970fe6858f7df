import { badField } from '../../../base/index.ts'
import type { ReadTx } from '../../../db/index.ts'
import { drivers } from '../../../db/store/qpus/index.ts'
import { thresholds } from '../../../db/store/readings/index.ts'
import { defineBehavior } from '../behavior.ts'

/** Thresholds: only monitors report readings, so the driver of a threshold is one. */
export const thresholdsBehavior = defineBehavior(thresholds, {
  creating: ({ tx }, values) => refuseOthers(tx, values['driver']),
  updating: ({ tx }, _, patch) => refuseOthers(tx, patch['driver']),
})

function refuseOthers(tx: ReadTx, id: unknown): void {
  // A driver that is missing or does not exist is refused by the validation of the collection.
  const driver = typeof id === 'string' ? tx.find(drivers, id) : undefined
  if (!driver || driver.operation === 'monitor') return
  const message = `The driver ${driver.name} is a ${driver.operation} driver and reports no readings; name a monitor driver.`
  throw badField(message, 'driver', message, { reason: 'not_a_monitor' })
}
