import { type AppError, badField } from '../../../base/index.ts'
import type { Tx } from '../../../db/index.ts'
import {
  calibratingQpus,
  cancelBookingsOf,
  drivers,
  type Qpu,
  qpus,
  revokeLease,
} from '../../../db/store/qpus/index.ts'
import { qpuStateShape, stateOfQpu } from '../../qpus/routes.ts'
import { defineBehavior } from '../behavior.ts'
import { hashSent } from '../hash-sent.ts'
import type { RecordService } from '../service.ts'

/** QPUs: access tokens are stored as hashes; disabling and maintenance are sent to the drivers. */
export const qpusBehavior = defineBehavior(qpus, {
  computedShape: qpuStateShape,
  computed(tx, all) {
    const running = tx.read(calibratingQpus())
    return all.map((qpu) => stateOfQpu(qpu, running))
  },
  creating: (_, values) => hashSent(values, 'access_token'),
  created: ({ tx }, qpu) => {
    if (qpu.access_token !== '') insertProcessDriver(tx, qpu)
  },
  removing: ({ tx }, qpu) => cancelBookingsOf(tx, qpu),
  updating(_, before, patch) {
    if (patch['access_token'] === '' && before.access_token !== '') throw tokenRemoved()
    hashSent(patch, 'access_token', before.access_token)
  },
  updated({ tx }, before, after) {
    if (before.enabled && !after.enabled) {
      for (const { id } of driversOf(tx, after)) revokeLease(tx, id)
    }
    if (before.access_token !== after.access_token) passTokenOn(tx, before, after)
  },
  async committed({ service }, { before, after }) {
    if (!before || !after) return
    const isNewToken = before.access_token !== after.access_token
    if (before.enabled && !after.enabled) await disconnectDrivers(service, after, 'QPU disabled')
    else if (isNewToken) await disconnectDrivers(service, after, 'access token changed', after.access_token)
    const isSame =
      before.maintenance === after.maintenance && before.maintenance_reason === after.maintenance_reason
    if (!isSame) await sendMaintenance(service, after)
  },
})

/** Inserts the driver that connects with the QPU's own token. */
function insertProcessDriver(tx: Tx, qpu: Qpu): void {
  const { name, executor_type, access_token } = qpu
  tx.insert(drivers, { name, qpu: qpu.id, operation: 'process', device: executor_type, token: access_token })
}

function passTokenOn(tx: Tx, before: Qpu, after: Qpu): void {
  const own =
    before.access_token === '' ? undefined : tx.findBy(drivers, { token: before.access_token, qpu: after.id })
  // Its token may have been replaced by itself.
  const driver = own ?? tx.findBy(drivers, { qpu: after.id, operation: 'process', name: before.name })
  if (driver) {
    revokeLease(tx, driver.id)
    tx.update(drivers, driver.id, { token: after.access_token })
  } else insertProcessDriver(tx, after)
}

/** Refuses the removal of a token, because the driver could still connect with the old one. */
function tokenRemoved(): AppError {
  const message = 'Cannot be removed; send a new token, or disable the QPU or its driver.'
  return badField('Failed to update record', 'access_token', message, { code: 'validation_required' })
}

const driversOf = (tx: Pick<Tx, 'list'>, qpu: Qpu) => tx.list(drivers, { where: { qpu: qpu.id } })

/** Ends the connections of the QPU's drivers; with `token` only of the one that holds it. */
async function disconnectDrivers(
  { context }: RecordService,
  qpu: Qpu,
  reason: string,
  token?: string,
): Promise<void> {
  const its = await context.db.read((tx) => driversOf(tx, qpu))
  for (const driver of its) {
    if (token === undefined || driver.token === token) context.hub.disconnect(driver.id, reason)
  }
}

async function sendMaintenance({ context }: RecordService, qpu: Qpu): Promise<void> {
  const { maintenance: on, maintenance_reason: reason } = qpu
  for (const { id } of await context.db.read((tx) => driversOf(tx, qpu))) {
    context.hub.send(id, { type: 'SetMaintenance', knows_aborted: true, begins_runs: true, on, reason })
  }
}
