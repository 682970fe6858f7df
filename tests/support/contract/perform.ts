import {
  ConnectionLostError,
  type Job,
  JobCancelledError,
  JobFailedError,
  JobTimeoutError,
  type Result,
  type Submission,
  type SvcClient,
  SvcError,
} from '../../../clients/js/src/index.ts'
import type { ContractCase } from './case.ts'

/** What calls take; each takes some of it. */
interface Args {
  readonly id: string
  readonly name: string
  readonly circuits: readonly (string | CircuitArgs)[]
  readonly idempotency_key?: string
  readonly timeout: number
  readonly circuit: number
  readonly bits: readonly number[]
  readonly pauli_z: string
  readonly start: string
  readonly end: string
  readonly qpu: string
  readonly collection: string
  readonly options: Record<string, string | number>
  readonly body: Record<string, unknown>
  readonly user: string
  readonly qpu_seconds: number
  readonly reason: string
  readonly seconds: number
  readonly idle_seconds?: number
  readonly mode?: 'exclusive' | 'batch'
  readonly holder?: { readonly kind: string; readonly id: string }
}

interface CircuitArgs {
  readonly circuit: string
  readonly parameter_values?: readonly number[] | readonly (readonly number[])[]
  readonly shots?: number
  readonly name?: string
  readonly metadata?: Record<string, unknown>
}

type Call = (svc: SvcClient, args: Args) => Promise<unknown>

const records = (svc: SvcClient, { collection }: Args) => svc.collection<Record<string, unknown>>(collection)
const resultOf = async (svc: SvcClient, { id }: Args) => (await svc.job(id)).result()
const circuitOf = async (svc: SvcClient, args: Args) => {
  const circuit = (await resultOf(svc, args)).circuits[args.circuit]
  if (!circuit) throw new RangeError(`The case has no circuit ${args.circuit}`)
  return circuit
}

/** The warnings on the console since the first call of `warnsOf`: cases run at the same time. */
let warnings: string[] | undefined

/** Whether the client warns on the console, with this reason. */
async function warnsOf(reason: string, call: () => Promise<unknown>): Promise<boolean> {
  if (!warnings) {
    const found: string[] = []
    warnings = found
    console.warn = (...given) => void found.push(given.join(' '))
  }
  await call()
  return warnings.some((text) => text.includes(reason))
}

/** Calls on one resource of superusers, whose body is the argument. */
const ADMIN_CALLS = {
  create_qpu: 'createQpu',
  toggle_qpu: 'toggleQpu',
  delete_qpu: 'deleteQpu',
  set_maintenance: 'setMaintenance',
  drain: 'drain',
  create_driver: 'createDriver',
  toggle_driver: 'toggleDriver',
} as const

const adminCalls = Object.entries(ADMIN_CALLS).map(([call, method]): [string, Call] => [
  `admin.${call}`,
  (svc, { body }) => svc.admin[method](body as never),
])

/** The calls of the contract cases, by name, as the JavaScript client makes them. */
export const CALLS: Readonly<Record<string, Call>> = {
  submit_job: async (svc, args) => plainJob(await svc.submitJob(submissionOf(args), keyOf(args))),
  check_job: (svc, args) => svc.checkJob(submissionOf(args)),
  job: async (svc, { id }) => plainJob(await svc.job(id)),
  jobs: async (svc, { options }) => (await Array.fromAsync(svc.jobs(options))).map(plainJob),
  resume: async (svc, { idempotency_key: key = '' }) => plainJob(await svc.resume(key)),
  'job.calibration': async (svc, { id }) => (await svc.job(id)).calibration() ?? null,
  'job.partial_results': async (svc, { id }) => {
    const { circuits, ...found } = await (await svc.job(id)).partialResults()
    return { ...found, counts: Object.fromEntries([...circuits].map(([at, { counts }]) => [at, counts])) }
  },
  cancel_job: async (svc, { id }) => plainJob(await (await svc.job(id)).cancel()),
  wait: async (svc, { id, timeout }) =>
    plainJob(await (await svc.job(id)).wait(timeout === undefined ? {} : { timeoutMs: timeout * 1000 })),
  result: async (svc, args) => plainResult(await resultOf(svc, args)),
  'result.warns': (svc, args) => warnsOf(args.reason, () => resultOf(svc, args)),
  'result.register': async (svc, args) => (await circuitOf(svc, args)).register(args.name),
  'result.marginal': async (svc, args) => (await circuitOf(svc, args)).marginal(args.bits),
  'result.probabilities': async (svc, args) => (await circuitOf(svc, args)).probabilities(),
  'result.expectation': async (svc, args) => (await circuitOf(svc, args)).expectation(args.pauli_z),
  qpus: (svc) => svc.qpus(),
  qpu: (svc, { name }) => svc.qpu(name),
  schedule: (svc, { start, end }) => svc.schedule(new Date(start), new Date(end)),
  book: (svc, { qpu, start, end }) => svc.book({ qpu, start: new Date(start), end: new Date(end) }),
  me: (svc) => svc.me(),
  'sessions.start': (svc, { qpu, idle_seconds: idleSeconds, seconds, mode, holder, ...args }) =>
    svc.sessions.start(qpu, {
      seconds,
      ...(idleSeconds !== undefined && { idleSeconds }),
      ...(mode && { mode }),
      ...(holder && { holder }),
      ...keyOf(args),
    }),
  'sessions.list': (svc) => svc.sessions.list(),
  'sessions.get': (svc, { id }) => svc.sessions.get(id),
  'sessions.extend': (svc, { id, seconds }) => svc.sessions.extend(id, seconds),
  'sessions.end': (svc, { id }) => svc.sessions.end(id),
  'sessions.wait': (svc, { id }) => svc.sessions.wait(id),
  'tokens.create': (svc, { body }) => svc.tokens.create(body),
  'tokens.list': (svc) => svc.tokens.list(),
  'tokens.update': (svc, { id, body }) => svc.tokens.update(id, body),
  'tokens.delete': (svc, { id }) => svc.tokens.delete(id),
  ...Object.fromEntries(adminCalls),
  'admin.calibrate': (svc, { body, idempotency_key: key }) => svc.admin.calibrate(body as never, key),
  'admin.hold': async (svc, { id, reason }) => plainStatus(await svc.admin.hold(id, reason)),
  'admin.release': async (svc, { id }) => plainStatus(await svc.admin.release(id)),
  'admin.run_next': async (svc, { id }) => plainStatus(await svc.admin.runNext(id)),
  'admin.move': async (svc, { id, body }) => plainStatus(await svc.admin.move(id, body as never)),
  'admin.requeue': async (svc, { id, body }) => plainStatus(await svc.admin.requeue(id, body)),
  'admin.set_balance': (svc, { user, qpu_seconds: seconds }) => svc.admin.setBalance(user, seconds),
  'collection.list': (svc, args) => records(svc, args).list(args.options),
  'collection.get': (svc, args) => records(svc, args).get(args.id),
  'collection.create': (svc, args) => records(svc, args).create(args.body),
  'collection.update': (svc, args) => records(svc, args).update(args.id, args.body),
  'collection.delete': (svc, args) => records(svc, args).delete(args.id),
}

/** Performs the call of a case; resolves with what it `returns` or `raises`, in the form of the cases. */
export async function perform(
  svc: SvcClient,
  { call, args }: Pick<ContractCase, 'call' | 'args'>,
): Promise<Pick<ContractCase, 'returns' | 'raises'> & { message?: string }> {
  const act = CALLS[call]
  if (!act) throw new Error(`The contract has no call ${call}`)
  try {
    return { returns: (await act(svc, args as unknown as Args)) ?? null }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { raises: plainError(error), message: error.message }
  }
}

function keyOf({ idempotency_key: idempotencyKey }: Pick<Args, 'idempotency_key'>): {
  idempotencyKey?: string
} {
  return idempotencyKey === undefined ? {} : { idempotencyKey }
}

function submissionOf(args: Args): Submission {
  const {
    circuits,
    idempotency_key: _,
    meas_level: measLevel,
    meas_return: measReturn,
    max_seconds: maxSeconds,
    give_up_after: giveUpAfter,
    ...rest
  } = args as Args & {
    meas_level?: 0 | 1 | 2
    meas_return?: 'single' | 'avg'
    max_seconds?: number
    give_up_after?: string
  }
  return {
    ...rest,
    ...(measLevel !== undefined && { measLevel }),
    ...(measReturn !== undefined && { measReturn }),
    ...(maxSeconds !== undefined && { maxSeconds }),
    ...(giveUpAfter !== undefined && { giveUpAfter }),
    circuits: circuits.map((each) => {
      if (typeof each === 'string') return each
      const { parameter_values: parameterValues, ...circuit } = each
      return { ...circuit, ...(parameterValues && { parameterValues }) }
    }),
  }
}

function plainStatus({ id, status, held }: { id: string; status: string; held: boolean }) {
  return { id, status, held }
}

function plainJob(job: Job) {
  const { waiting, estimatedStart } = job
  return {
    ...{ id: job.id, name: job.name, tags: job.tags, status: job.status, qpu: job.qpu ?? null },
    created: job.created.toISOString(),
    started: job.started?.toISOString() ?? null,
    finished: job.finished?.toISOString() ?? null,
    charged_seconds: job.chargedSeconds ?? null,
    waiting: waiting ? { code: waiting.code, text: waiting.text } : null,
    queue_position: job.queuePosition ?? null,
    estimated_start: estimatedStart
      ? [estimatedStart.from.toISOString(), estimatedStart.to.toISOString()]
      : null,
    error: job.error ?? null,
    progress: job.progress,
    recalled: job.recalled?.reason ?? null,
    disturbed_by: job.disturbedBy ?? null,
    give_up_at: job.giveUpAt?.toISOString() ?? null,
  }
}

function plainResult({ jobId, circuits, metadata }: Result) {
  return {
    job_id: jobId,
    device: metadata['device'],
    circuits: circuits.map(({ name, shots, counts, metadata: own, memory, iq }) => ({
      ...{ name, shots, counts, metadata: own, memory: memory ?? null, iq: iq ?? null },
    })),
  }
}

function plainError(error: Error): NonNullable<ContractCase['raises']> {
  if (error instanceof SvcError) {
    const { name, status, code, requestId, retryAfter, fields } = error
    return {
      ...{ error: name, status, code, request_id: requestId, fields },
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    }
  }
  if (error instanceof ConnectionLostError) return { error: error.name, maybe_done: error.maybeDone }
  if (error instanceof JobFailedError) return { error: error.name, job_id: error.jobId, code: error.code }
  if (error instanceof JobCancelledError || error instanceof JobTimeoutError)
    return { error: error.name, job_id: error.jobId }
  return { error: error.name }
}
