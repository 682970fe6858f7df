import * as v from 'valibot'
import { badField, toTimestamp } from '../../base/index.ts'
import { readQpuCalibrations } from '../../db/store/calibrations/index.ts'
import { OrderReading, queueReads, readOccupancy } from '../../db/store/jobs/index.ts'
import {
  calibratingQpus,
  createQpu,
  deleteQpu,
  descriptionOf,
  getQpu,
  listQpus,
  previewQpuDeletion,
  type Qpu,
  type QpuContents,
  qpus,
  setDraining,
  setMaintenance,
  setQpuEnabled,
} from '../../db/store/qpus/index.ts'
import { deviceDescription } from '../../protocol/index.ts'
import { hashToken, newDriverToken } from '../access-token.ts'
import type { ServerContext } from '../context.ts'
import { serverAddress } from '../http/address.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { equipmentName } from '../http/request/fields.ts'
import { listQuery, moment, strictQuery } from '../http/request/list-query.ts'
import { presentRecord } from '../http/response/present-record.ts'
import { recordResponse } from '../http/response/record-response.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'
import { reasonUnavailable } from './availability.ts'
import { estimateScoresShape, readEstimateScores } from './estimate-scores.ts'
import {
  calibrationShape,
  newJobShape,
  occupancyShape,
  presentOccupancy,
  presentRecalled,
  readerOf,
} from './present-occupancy.ts'

/** The shape of what `stateOfQpu` returns. */
export const qpuStateShape = {
  calibrating: v.boolean(),
  reason: described(
    v.nullable(shape('QpuReason', { code: v.string(), text: v.string() })),
    'Why it runs no jobs now; null = it does',
  ),
}
const qpuResponse = recordResponse('Qpu', qpus, qpuStateShape)
const occupiedQpuResponse = shape('QpuSummary', {
  ...qpuResponse.entries,
  ...occupancyShape,
  ...newJobShape,
  ...calibrationShape,
})
const qpuDetailResponse = shape('QpuDetail', {
  ...occupiedQpuResponse.entries,
  estimates: estimateScoresShape,
  description: described(
    v.nullable(v.pipe(deviceDescription, v.title('QpuDescription'))),
    'What its device says that it can run; null = unknown',
  ),
})
const qpuSwitchResponse = shape('QpuSwitch', {
  id: v.string(),
  name: v.string(),
  enabled: v.boolean(),
  status: v.picklist(qpus.fields.status.choices),
})
const drainResponse = shape('DrainedQpu', {
  ...qpuResponse.entries,
  running_job: described(v.nullable(v.string()), 'Id of the job that is still running on it'),
})
const unavailableQpu = shape('UnavailableQpu', { id: v.string(), name: v.string(), reason: v.string() })

/** The QPU as clients see it, with its computed state. */
async function presentQpu(context: ServerContext, qpu: Qpu, calibrating?: ReadonlySet<string>) {
  const running = calibrating ?? (await context.db.read((tx) => tx.read(calibratingQpus())))
  return {
    ...presentRecord(qpus, qpu, context.db.names, { isSuperuser: false }),
    ...stateOfQpu(qpu, running),
  }
}

/** The estimate for a job that `user` submits to a QPU now; '' for a user without bookings. */
type EstimateNewJob = (
  context: ServerContext,
  reading: OrderReading,
  job: { user: string; qpu: Qpu },
) => v.InferOutput<ReturnType<typeof v.object<typeof newJobShape>>>

/** QPUs as the caller sees them, each with what occupies it now. */
async function presentOccupied(
  context: ServerContext,
  rows: readonly Qpu[],
  caller: Caller,
  estimateNewJob: EstimateNewJob,
) {
  const { db } = context
  const reader = readerOf(context, caller)
  const ids = rows.map(({ id }) => id)
  const [occupancy, calibrations, recalls, calibrating, estimates] = await db.read((tx) => {
    const reading = new OrderReading(context.order, tx, tx.read(queueReads()))
    const estimate = (qpu: Qpu) => estimateNewJob(context, reading, { user: reader.user, qpu })
    return [
      readOccupancy(reading, rows),
      readQpuCalibrations(tx, ids),
      tx.read(ids.map((id) => context.order.qpus.recalled(tx, id))),
      reading.facts.calibrating,
      rows.map(estimate),
    ] as const
  })
  const shown = rows.map(async (qpu, at) => {
    const occupied = occupancy.get(qpu.id)
    return {
      ...(await presentQpu(context, qpu, calibrating)),
      ...(occupied && presentOccupancy(occupied, reader)),
      ...estimates[at],
      calibration: calibrations.get(qpu.id) ?? null,
      recalled_calibration: presentRecalled(recalls[at], caller),
    }
  })
  return Promise.all(shown)
}

/** The computed state of a QPU; `running`: ids of the QPUs that are being calibrated. */
export function stateOfQpu(qpu: Qpu, running: ReadonlySet<string>) {
  const calibrating = running.has(qpu.id)
  const closed = reasonUnavailable(qpu, calibrating)
  return { calibrating, reason: closed ? { code: closed.code, text: closed.reason } : null }
}

/** The keys by which a body identifies its QPU. */
const qpuIdentifier = {
  name: v.optional(v.pipe(v.string(), v.nonEmpty())),
  id: v.optional(v.pipe(v.string(), v.nonEmpty())),
}

/** @throws AppError `invalid` if the body identifies no QPU. */
function nameOrIdOf({ name, id }: { name?: string | undefined; id?: string | undefined }): string {
  const nameOrId = name ?? id
  if (nameOrId !== undefined) return nameOrId
  const message = 'Identify the QPU by name or id.'
  throw badField(message, 'name', message, { code: 'validation_required' })
}

const qpuContents = shape('QpuContents', {
  id: v.string(),
  name: v.string(),
  drivers: described(v.array(v.string()), 'Names of its drivers'),
  bookings: described(v.number(), 'Number of bookings that have not ended'),
  calibration_requests: described(v.number(), 'Requests for its tuners; their reports stay'),
  thresholds: described(v.number(), 'Limits of its monitors'),
  notes: v.number(),
})

function presentContents({ qpu, drivers, ...counts }: QpuContents) {
  return { id: qpu.id, name: qpu.name, drivers: drivers.map(({ name }) => name), ...counts }
}

const expectedEnd = described(moment, 'Expected end; the maintenance does not end automatically')
const reason = v.optional(v.pipe(v.string(), v.maxLength(1_000)), '')

/** QPUs: public reads and the actions of superusers. */
export const qpuRoutes = (estimateNewJob: EstimateNewJob): Route[] => [
  defineRoute('GET /api/qpus', {
    access: 'public',
    inSession: 'read',
    isOperation: true,
    summary: 'List all QPUs',
    query: listQuery(['created', 'updated', 'name', 'status', 'num_qubits'], 'created'),
    response: v.array(occupiedQpuResponse),
    async run(context, { query, caller }) {
      return presentOccupied(context, await listQpus(context.db, query), caller, estimateNewJob)
    },
  }),
  defineRoute('GET /api/qpus/:name', {
    access: 'public',
    inSession: 'read',
    isOperation: true,
    summary: 'Retrieve a QPU by name or id, with the description of its device',
    response: qpuDetailResponse,
    async run(context, { params, caller }) {
      const qpu = await getQpu(context.db, params.name)
      const [shown] = await presentOccupied(context, [qpu], caller, estimateNewJob)
      const [estimates, description] = await context.db.read(
        (tx) => [readEstimateScores(tx, qpu.id), tx.read(descriptionOf(qpu.id))] as const,
      )
      return { ...shown, estimates, description }
    },
  }),
  defineRoute('GET /api/op/qpus/availability', {
    access: 'public',
    isOperation: true,
    summary: 'List the QPUs that run no jobs now, each with its reason',
    response: v.array(unavailableQpu),
    async run({ db }) {
      const calibrating = await db.read((tx) => tx.read(calibratingQpus()))
      const rows = await listQpus(db, { skip: 0, limit: 1000, sort: 'name' })
      return rows.flatMap((qpu) => {
        const closed = reasonUnavailable(qpu, calibrating.has(qpu.id))
        return closed ? [{ id: qpu.id, name: qpu.name, reason: closed.reason }] : []
      })
    },
  }),
  defineRoute('POST /api/op/qpus/create', {
    access: 'superuser',
    summary: 'Register a QPU together with its process driver; shows the access token once',
    body: v.object({
      name: equipmentName,
      executor_type: v.optional(v.pipe(v.string(), v.maxLength(100)), ''),
      num_qubits: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000)), 1),
      enabled: v.optional(v.boolean(), true),
    }),
    statuses: [201],
    response: shape('QpuRegistration', {
      ...qpuSwitchResponse.entries,
      executor_type: v.string(),
      num_qubits: v.number(),
      driver_id: v.string(),
      access_token: v.string(),
      svc_addr: v.string(),
      ca_fingerprint: v.string(),
    }),
    async run(context, { body, caller, request, isSecure }) {
      const token = newDriverToken()
      const { qpu, driver } = await createQpu(context.db, callerName(caller), {
        name: body.name,
        executorType: body.executor_type,
        numQubits: body.num_qubits,
        enabled: body.enabled,
        tokenHash: hashToken(token),
      })
      const { id, name, status, enabled, executor_type, num_qubits } = qpu
      return new Reply(201, {
        id,
        name,
        status,
        enabled,
        executor_type,
        num_qubits,
        driver_id: driver.id,
        access_token: token,
        svc_addr: serverAddress(context.config, { url: request.url, isSecure }),
        ca_fingerprint: context.tls.material.caFingerprint,
      })
    },
  }),
  defineRoute('POST /api/op/qpu/toggle', {
    access: 'superuser',
    isOperation: true,
    summary: 'Enable or disable a QPU; disabling disconnects its drivers',
    body: v.object({ ...qpuIdentifier, enabled: v.boolean() }),
    statuses: [200, 404],
    response: qpuSwitchResponse,
    async run({ db, hub }, { body, caller }) {
      const { qpu, drivers } = await setQpuEnabled(db, callerName(caller), nameOrIdOf(body), body.enabled)
      if (!body.enabled) for (const driver of drivers) hub.disconnect(driver.id, 'QPU disabled')
      return { id: qpu.id, name: qpu.name, enabled: qpu.enabled, status: qpu.status }
    },
  }),
  defineRoute('GET /api/op/qpu/delete', {
    access: 'superuser',
    summary: 'List what the deletion of a QPU would delete',
    query: strictQuery(qpuIdentifier),
    statuses: [200, 404],
    response: qpuContents,
    run: async ({ db }, { query }) => presentContents(await previewQpuDeletion(db, nameOrIdOf(query))),
  }),
  defineRoute('POST /api/op/qpu/delete', {
    access: 'superuser',
    summary:
      'Delete a QPU with what belongs to it; nothing while a job for it or a calibration is unfinished',
    body: v.object(qpuIdentifier),
    statuses: [200, 404],
    errors: { unfinished_jobs: 400, calibration_running: 400 },
    response: qpuContents,
    async run({ db, hub }, { body, caller }) {
      const deleted = await deleteQpu(db, callerName(caller), nameOrIdOf(body))
      for (const driver of deleted.drivers) hub.disconnect(driver.id, 'QPU deleted')
      return presentContents(deleted)
    },
  }),
  defineRoute('POST /api/op/qpu/maintenance', {
    access: 'superuser',
    isOperation: true,
    summary: 'Start or end maintenance of a QPU; its jobs wait, its drivers are notified',
    body: v.object({
      id: v.pipe(v.string(), v.nonEmpty()),
      maintenance: v.boolean(),
      reason,
      until: v.optional(v.nullable(expectedEnd)),
    }),
    statuses: [200, 404],
    response: qpuResponse,
    async run(context, { body, caller }) {
      const { id, maintenance, reason, until } = body
      const end = until ? toTimestamp(until) : ''
      const changed = await setMaintenance(context.db, callerName(caller), id, maintenance, reason, end)
      for (const driver of changed.drivers) {
        context.hub.send(driver.id, {
          type: 'SetMaintenance',
          knows_aborted: true,
          begins_runs: true,
          on: maintenance,
          reason,
        })
      }
      return presentQpu(context, changed.qpu)
    },
  }),
  defineRoute('POST /api/op/qpu/drain', {
    access: 'superuser',
    isOperation: true,
    summary: 'Drain a QPU, or end draining: a running job finishes, other jobs and new ones wait',
    body: v.object({ ...qpuIdentifier, drain: v.boolean(), reason }),
    statuses: [200, 404],
    response: drainResponse,
    async run(context, { body, caller }) {
      const actor = callerName(caller)
      const { drain: draining, reason } = body
      const { qpu, runningJob } = await setDraining(context.db, actor, nameOrIdOf(body), { draining, reason })
      return { ...(await presentQpu(context, qpu)), running_job: runningJob ?? null }
    },
  }),
]
