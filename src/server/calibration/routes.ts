import * as v from 'valibot'
import { AppError, toTimestamp } from '../../base/index.ts'
import {
  calibrationRequests,
  listLatestValues,
  listMedians,
  listValueHistory,
  listValuesAt,
  type StoredMedian,
  type StoredValue,
} from '../../db/store/calibrations/index.ts'
import { getQpu } from '../../db/store/qpus/index.ts'
import { callerName } from '../http/caller.ts'
import { badQuery, moment, whole } from '../http/request/list-query.ts'
import { presentRecord } from '../http/response/present-record.ts'
import { recordResponse } from '../http/response/record-response.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'
import { CALIBRATION_ERRORS, calibrationOrder, requestCalibration } from './enqueue.ts'

/** Superusers queue calibrations; requests and reports are read through the record routes. */
export const calibrationRoutes: Route[] = [
  defineRoute('POST /api/op/calibrate/dispatch', {
    access: 'superuser',
    isOperation: true,
    summary: 'Queue a calibration, or continue one that ended early; its tuner runs one at a time',
    body: calibrationOrder,
    headers: {
      'Idempotency-Key':
        'Repeating the request with the same key returns the same calibration; 1 to 255 characters',
    },
    statuses: [201, 404],
    errors: {
      ...CALIBRATION_ERRORS,
      calibration_not_ended: 409,
      nothing_to_resume: 409,
      idempotency_key_reused: 422,
    },
    response: recordResponse('CalibrationRequest', calibrationRequests),
    async run(context, { body, caller, request }) {
      const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
      const row = await requestCalibration(context, body, { actor: callerName(caller), idempotencyKey })
      return new Reply(201, presentRecord(calibrationRequests, row, context.db.names, { isSuperuser: true }))
    },
  }),
]

const MAX_POINTS = 5_000
/** 1,000 qubits with 10 parameters each; about 2 MB of JSON. */
const MAX_LATEST = 10_000
/** 60 parameters after each of 80 calibrations. */
const MAX_MEDIANS = 5_000

const qpu = described(v.pipe(v.string(), v.nonEmpty()), 'Name or id of a QPU')
const name = v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))
const measurement = {
  at: described(v.string(), 'End of the calibration, UTC'),
  value: v.number(),
  error: described(v.nullable(v.number()), 'Standard error; null = not known'),
  routine: described(v.string(), 'Routine, or protocol of a benchmark'),
  report: described(v.string(), 'Id in calibration_results'),
}
const unit = v.string()

/** What calibrations found, by qubit or edge and parameter. The reports themselves are read as records. */
export const calibrationHistoryRoutes: Route[] = [
  defineRoute('GET /api/calibration/values', {
    access: 'public',
    isOperation: true,
    summary:
      'List the newest value of every parameter of a QPU, or those that were the newest at a time; without a login only the present ones that descriptions of devices have too: fidelities, T1, T2 echo, frequencies of qubits',
    query: v.object({ qpu, at: v.optional(moment) }),
    statuses: [200, 401, 404],
    response: shape('CalibrationValues', {
      qpu: described(v.string(), 'Id of the QPU'),
      values: v.array(
        v.object({
          element: described(v.string(), 'Qubit or edge'),
          parameter: described(v.string(), "As in the device file; of a benchmark '{protocol}.fidelity'"),
          unit,
          ...measurement,
        }),
      ),
    }),
    async run({ db }, { query, caller }) {
      if (caller.kind === 'guest' && query.at !== undefined)
        throw new AppError('unauthorized', 'Values of an earlier time need a login; leave out at, or log in')
      const { id } = await getQpu(db, query.qpu)
      const found = await db.read((tx) =>
        query.at === undefined
          ? listLatestValues(tx, id, MAX_LATEST)
          : listValuesAt(tx, { qpu: id, at: toTimestamp(query.at), limit: MAX_LATEST }),
      )
      const values = caller.kind === 'guest' ? found.filter(({ parameter }) => isDescribed(parameter)) : found
      return { qpu: id, values }
    },
  }),
  defineRoute('GET /api/calibration/history', {
    access: 'signed_in',
    isOperation: true,
    summary: 'List the values that calibrations found for one parameter of a qubit or an edge over time',
    query: v.object({
      qpu,
      element: described(name, 'Qubit or edge'),
      parameter: described(name, 'Such as clock_freqs.f01 or randomized_benchmarking.fidelity'),
      from: v.optional(moment),
      to: v.optional(moment),
      limit: v.optional(described(whole(1, MAX_POINTS), 'The newest are returned, in order of time'), '1000'),
    }),
    statuses: [200, 404],
    response: shape('CalibrationHistory', {
      qpu: v.string(),
      element: v.string(),
      parameter: v.string(),
      unit,
      values: v.array(v.object(measurement)),
    }),
    async run({ db, clock }, { query }) {
      const { element, parameter, limit, from = 0, to = clock.now() + 1 } = query
      if (to <= from) throw badRange(from)
      const { id } = await getQpu(db, query.qpu)
      const range = { from: toTimestamp(from), to: toTimestamp(to) }
      const values = await db.read((tx) =>
        listValueHistory(tx, { qpu: id, element, parameter, limit, ...range }),
      )
      return {
        qpu: id,
        element,
        parameter,
        unit: values.at(-1)?.unit ?? '',
        values: values.map(measurementOf),
      }
    },
  }),
  defineRoute('GET /api/calibration/medians', {
    access: 'signed_in',
    isOperation: true,
    summary: 'List how the medians over all qubits or edges of a QPU changed with each calibration',
    query: v.object({ qpu, from: v.optional(moment), to: v.optional(moment) }),
    statuses: [200, 404],
    response: shape('CalibrationMedians', {
      qpu: described(v.string(), 'Id of the QPU'),
      series: v.array(
        v.object({
          parameter: v.string(),
          unit,
          values: described(
            v.array(v.object({ at: v.string(), value: v.number(), count: v.number() })),
            'In order of time; of all parameters together the newest 5,000',
          ),
        }),
      ),
    }),
    async run({ db, clock }, { query }) {
      const { from = 0, to = clock.now() + 1 } = query
      if (to <= from) throw badRange(from)
      const { id } = await getQpu(db, query.qpu)
      const range = { from: toTimestamp(from), to: toTimestamp(to) }
      const medians = await db.read((tx) => listMedians(tx, { qpu: id, limit: MAX_MEDIANS, ...range }))
      return { qpu: id, series: seriesOf(medians) }
    },
  }),
]

function seriesOf(medians: readonly StoredMedian[]) {
  return [...Map.groupBy(medians, ({ parameter }) => parameter)].map(([parameter, values]) => ({
    parameter,
    unit: values.at(-1)?.unit ?? '',
    values: values.map(({ at, value, count }) => ({ at, value, count })),
  }))
}

function measurementOf({ at, value, error, routine, report }: StoredValue) {
  return { at, value, error, routine, report }
}

function badRange(from: number): AppError {
  return badQuery('to', `Must be after from, which is ${toTimestamp(from)}.`)
}

/** Parameters of device files that descriptions of devices, which guests may read, have too. */
const DESCRIBED = new Set(['clock_freqs.f01', 'coherence.t1', 'coherence.t2_echo'])

/** Whether a parameter is one that a description has too: everybody then reads the same value of it. */
function isDescribed(parameter: string): boolean {
  return parameter.endsWith('.fidelity') || DESCRIBED.has(parameter)
}
