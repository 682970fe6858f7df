import { createHash } from 'node:crypto'
import { AppError, defineWorker, isObject } from '../../../base/index.ts'
import { JsonText } from '../../../db/index.ts'
import { expectedResultsOf, type JobPayload, needsDiscriminators } from '../../../protocol/index.ts'
import { BODY_LIMITS } from '../../http/limits/json-shape.ts'
import { contentHash } from '../../http/request/idempotency.ts'
import { objectOf } from '../../http/request/json-body.ts'
import { parseJsonText, ReceivedJson, releaseMemory } from '../../http/request/json-text.ts'
import type {
  Examination,
  ExaminedSubmission,
  QpuDt,
  ReceivedBytes,
  SubmissionRequest,
  ThreadNumber,
  ThreadResponse,
} from '../../programs/messages.ts'
import type { SubmissionThread } from '../../programs/submission-thread.ts'
import { dtOfTarget } from '../chip/dt-of-qpus.ts'
import { checkPrograms, checkProgramsInline } from './check-programs.ts'
import { executionsOf, readSubmission } from './read-submission.ts'

/** Examines large submissions in their order. */
export const submissionWorker = defineWorker<SubmissionRequest | ThreadNumber, ThreadResponse>(
  'src/server/jobs/submission/worker.ts',
)

type Outcome = Examination['outcome']

/** Who examines a body. */
interface Examiner {
  thread: SubmissionThread
  /** The account whose turn it is. */
  account: string
  /** Whether the request has an `Idempotency-Key`. */
  isKeyed: boolean
  /** The QPUs that a target names with the lengths of their `dt`; without a target, every one. */
  dts(target?: string): Promise<QpuDt[]>
}

/** The payload of a job that was submitted as a large record. */
export class ExaminedPayload extends JsonText {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('text' in outcome ? outcome.text : 'null')
    this.outcome = outcome
  }
}

/**
 * Examines the body of a submission: at once if it is small and its programs are, otherwise in the thread,
 * where `account` takes its turn. A `ReceivedJson` always goes there.
 * @throws AppError what `SubmissionThread.examine` throws.
 */
export async function examineBody(
  body: unknown,
  { thread, account, isKeyed, dts }: Examiner,
): Promise<Outcome> {
  const isTimed = body instanceof ReceivedJson || /dt|delay/.test(JSON.stringify(body) ?? '')
  const target = isObject(body) && typeof body['qpu_target'] === 'string' ? body['qpu_target'] : ''
  const form = { isRecord: false, isKeyed, dts: isTimed ? await dts(target) : [] }
  if (body instanceof ReceivedJson)
    return (await thread.examine({ body: { ...body }, ...form }, account)).outcome
  const request = { body: { value: body }, ...form }
  const inline = examineWith(request, checkProgramsInline)
  return (inline ?? (await thread.examine(request, account))).outcome
}

/**
 * The fields of the record of a job that was received; instead of its payload, what is known of the
 * submission in it.
 * @throws AppError as `examineBody`, and `invalid` when the body is not a JSON object.
 */
export async function examineRecord(
  { bytes, sender }: ReceivedJson,
  { thread, account, isKeyed, dts }: Examiner,
): Promise<Record<string, unknown>> {
  const request = { body: { bytes, sender }, isRecord: true, isKeyed, dts: await dts() }
  const { fields, outcome } = await thread.examine(request, account)
  return fields ? { ...fields, payload: new ExaminedPayload(outcome) } : { ...accepted(outcome) }
}

/** Examines a body here, however long it takes. */
export function examine(request: SubmissionRequest): Examination {
  const examination = examineWith(request, checkPrograms)
  if (!examination) throw new TypeError('only an inline check ends early')
  return examination
}

/** Throws the refusal of a submission, as `readSubmission` would have done. */
export function accepted(outcome: Outcome): ExaminedSubmission {
  if ('text' in outcome) return outcome
  throw refusalOf(outcome)
}

export function refusalOf({ code, message, details }: Exclude<Outcome, ExaminedSubmission>): AppError {
  return new AppError(code, message, details)
}

/** Undefined when the programs are too large for `check`. */
function examineWith(
  { body, isRecord, isKeyed, dts }: SubmissionRequest,
  check: typeof checkProgramsInline,
): Examination | undefined {
  let fields: Examination['fields']
  try {
    const value = 'bytes' in body ? parsed(body) : body.value
    if (isRecord) fields = withoutPayload(objectOf(value))
    const { payload, text, target, ignored, ...named } = readSubmission(
      isRecord ? submissionOf(objectOf(value)) : value,
    )
    const report = check(payload, dtOfTarget(target, dts))
    if (!report) return undefined
    const hash = isKeyed ? contentHash([target, new JsonText(text), ...stated(named)]) : ''
    const { shots, executions } = { shots: mostShots(payload), executions: executionsOf(payload) }
    const features = [...report.features, ...optionFeatures(payload)]
    const expected = expectedResultsOf(payload, report.bits)
    return {
      fields,
      outcome: {
        ...report,
        ...named,
        features,
        target,
        text,
        hash,
        shots,
        executions,
        expected,
        programHash: programHash(payload),
        ignored: [...ignored, ...report.ignored],
        allowsUncalibrated: payload.allow_uncalibrated === true,
        hasBits: needsDiscriminators(payload),
        require: payload.require,
      },
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, fields: refused, reason } = error
    return {
      fields,
      outcome: { code, message, details: { fields: refused, ...(reason !== undefined && { reason }) } },
    }
  }
}

/** SHA-256 of the program in UTF-8, as of its file; of several, that of their sums one after another. */
function programHash({ circuits }: JobPayload): string {
  const sums = circuits.map(({ circuit }) => createHash('sha256').update(circuit).digest())
  const [only] = sums
  const sum = sums.length === 1 && only ? only : createHash('sha256').update(Buffer.concat(sums)).digest()
  return sum.toString('base64url')
}

/** What a job states besides its payload; without any, the hash is that of earlier versions. */
function stated({
  maxMs,
  giveUpMs,
  session,
  ...names
}: Pick<ExaminedSubmission, 'name' | 'tags' | 'labels' | 'maxMs' | 'giveUpMs' | 'session'>): unknown[] {
  const { name, tags, labels } = names
  const isNamed = name !== '' || tags.length > 0 || labels !== ''
  const limits = [...(maxMs > 0 ? [{ maxMs }] : []), ...(giveUpMs > 0 ? [{ giveUpMs }] : [])]
  return [...(isNamed ? [names] : []), ...limits, ...(session === '' ? [] : [{ session }])]
}

function mostShots({ circuits, shots, exact }: JobPayload): ExaminedSubmission['shots'] {
  if (exact) return { most: 0, path: 'shots' }
  const all = circuits.map((each, index) =>
    each.shots === undefined
      ? { most: shots, path: 'shots' }
      : { most: each.shots, path: `circuits.${index}.shots` },
  )
  return all.reduce((one, other) => (other.most > one.most ? other : one))
}

/** What the options of a job need; level 2 of measurement needs nothing. */
function optionFeatures({
  meas_level,
  optimization_level,
  exact,
  precision,
  dynamical_decoupling: decoupling = 'none',
  scheduling,
  require,
}: JobPayload): ExaminedSubmission['features'] {
  return [
    ...(meas_level === 2 ? [] : [{ name: `meas_level_${meas_level}`, path: 'meas_level' }]),
    ...(optimization_level === undefined ? [] : [{ name: 'optimization_level', path: 'optimization_level' }]),
    ...(exact ? [{ name: 'exact', path: 'exact' }] : []),
    ...(precision === 'single' ? [{ name: 'single_precision', path: 'precision' }] : []),
    ...(decoupling === 'none' ? [] : [{ name: 'dynamical_decoupling', path: 'dynamical_decoupling' }]),
    ...(scheduling === undefined ? [] : [{ name: 'scheduling', path: 'scheduling' }]),
    ...(require === undefined ? [] : [{ name: 'quality_condition', path: 'require' }]),
  ]
}

/** The value of a body; its memory is freed. */
function parsed({ bytes, sender }: ReceivedBytes): unknown {
  const json = parseJsonText({ bytes, limits: BODY_LIMITS[sender] })
  releaseMemory(bytes)
  if ('refused' in json) throw new AppError('invalid', json.refused)
  return json.value
}

function withoutPayload({ payload: _, ...others }: Record<string, unknown>): Record<string, unknown> {
  return others
}

/**
 * The submission that the record of a job contains.
 * @throws AppError `invalid`.
 */
export function submissionOf({ payload, qpu_target }: Record<string, unknown>): object {
  const isUnset = qpu_target === undefined || qpu_target === null || qpu_target === ''
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload))
    return { ...payload, ...(isUnset ? {} : { qpu_target }) }
  throw new AppError('invalid', 'Failed to create record', {
    fields: { payload: { code: 'validation_required', message: 'Must be an object with circuits.' } },
  })
}
