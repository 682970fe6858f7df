import {
  type Job,
  NotFoundError,
  NotPendingError,
  type PartialResults,
  type SvcClient,
} from '../../../clients/js/src/index.ts'
import { AppError, flag, kinds, messageOf, switchFlag } from '../../base/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { CONNECTION_FLAGS, withClient } from './connection.ts'
import { conclude, follow, printOutcome, resultOf, TIMEOUT_FLAG } from './follow.ts'
import { JOB_OPERATIONS } from './operate.ts'
import { fields, localTime, partialLines, plain, qpuOf, stateOf, table } from './output.ts'

const JOB = { name: 'JOB', help: 'Id of a job' }
const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const

/** Names of the QPUs by id. */
async function namesOfQpus(svc: SvcClient): Promise<Map<string, string>> {
  return new Map((await svc.qpus()).map(({ id, name }) => [id, name]))
}

/** @throws AppError if there is none, or it belongs to another person. */
async function readJob(svc: SvcClient, id: string): Promise<Job> {
  try {
    return await svc.job(id)
  } catch (cause) {
    if (!(cause instanceof NotFoundError)) throw cause
    throw new AppError('not_found', `there is no job ${id} among yours; svc jobs lists them`, { cause })
  }
}

export const resumeCommand = defineCommand({
  summary: 'Show the job that a submission with an idempotency key has made within 24 hours',
  positionals: [
    { name: 'KEY', help: 'What svc submit printed when it ended without a response, or its --key' },
  ],
  flags: CONNECTION_FLAGS,
  run: ({ flags, positionals: [key = ''] }) => withClient(flags, (svc) => resume(svc, key)),
  document: (job) => job.raw,
  print: (job) => console.log(`Job ${job.id} (${stateOf(job)}); its result: svc result ${job.id}`),
})

/** @throws AppError if there is none. */
async function resume(svc: SvcClient, key: string): Promise<Job> {
  try {
    return await svc.resume(key)
  } catch (cause) {
    if (!(cause instanceof NotFoundError)) throw cause
    const message =
      cause.code === 'unknown_key'
        ? 'no job was submitted with this key within 24 hours: submit it again'
        : 'this server cannot find jobs by their key: submit again with --key, which makes no second job'
    throw new AppError('not_found', message, { cause })
  }
}

export const jobsCommand = defineCommand({
  summary: 'List your jobs, newest first',
  flags: {
    status: flag(kinds.choice(STATUSES), 'Only jobs in this state'),
    qpu: flag(kinds.nonEmptyText('name'), 'Only jobs of this QPU'),
    tag: flag(kinds.nonEmptyText('text'), 'Only jobs with this tag'),
    before: flag(kinds.nonEmptyText('job'), 'Only jobs submitted before this one'),
    limit: flag(kinds.integer({ min: 1, max: 10_000 }), 'Number of jobs', { default: '20' }),
    ...CONNECTION_FLAGS,
  },
  run: ({ flags }) =>
    withClient(flags, async (svc) => {
      const { status, qpu, tag, before, limit } = flags
      const filter = Object.entries({ status, qpu, tag, before }).filter(([, value]) => value !== undefined)
      const listed = Array.fromAsync(svc.jobs({ ...Object.fromEntries(filter), limit }))
      const [jobs, names] = await Promise.all([listed, namesOfQpus(svc)])
      return { jobs, names }
    }),
  document: ({ jobs }) => jobs.map(({ raw }) => raw),
  print({ jobs, names }) {
    if (jobs.length === 0) return console.log('No jobs')
    const rows = jobs.map(({ id, status, created, name, raw }) => [
      id,
      status,
      localTime(created),
      qpuOf(raw, names),
      String(raw.shots || ''),
      name,
    ])
    console.log(table(['JOB', 'STATUS', 'SUBMITTED', 'QPU', 'SHOTS', 'NAME'], rows).join('\n'))
  },
})

export const jobCommand = defineCommand({
  summary: 'Show a job: its state, why it waits, and when it is estimated to start',
  positionals: [JOB],
  flags: CONNECTION_FLAGS,
  commands: JOB_OPERATIONS,
  run: ({ flags, positionals: [id = ''] }) =>
    withClient(flags, async (svc) => {
      const [job, names] = await Promise.all([readJob(svc, id), namesOfQpus(svc)])
      return { job, names }
    }),
  document: ({ job }) => job.raw,
  print({ job, names }) {
    const { id, name, tags, created, started, finished, chargedSeconds, error, raw } = job
    const { recalled, disturbedBy } = job
    const failure = error && raw.timeline?.findLast(({ event }) => event === 'failed')?.detail
    const shown = fields({
      Job: id,
      Name: name,
      Tags: tags.join(', '),
      State: stateOf(job),
      QPU: qpuOf(raw, names),
      Shots: raw.shots || '',
      Submitted: localTime(created),
      Started: localTime(started),
      Ended: localTime(finished),
      Charged: chargedSeconds === undefined ? '' : `${chargedSeconds} s of QPU time`,
      ...originOf(raw),
      Recalled: recalled?.reason,
      Disturbed: disturbedBy && `a calibration ran meanwhile, report ${disturbedBy}`,
      Attempts: raw.attempt > 1 ? raw.attempt : '',
      Error: error?.message,
      // What the timeline says besides: the last line of an exception of the device.
      Detail: failure === error?.message ? '' : failure,
    })
    console.log(shown.join('\n'))
  },
})

/** What the last attempt that says so ran with. */
function originOf({ attempts = [] }: Job['raw']): Record<string, string> {
  const known = attempts.findLast(({ provenance }) => provenance)?.provenance
  if (!known) return {}
  const { device, driver, calibration } = known
  const programs = [device && [device.name, device.version], driver && ['driver', driver.version]]
  const { report, calibrated_at: at, device_file: file } = calibration?.before ?? {}
  return {
    Device: programs.flatMap((each) => (each ? [each.filter(Boolean).join(' ')] : [])).join(', '),
    Calibration: [
      report && at ? `${localTime(new Date(at))}, report ${report}` : '',
      calibration?.changed ? 'changed while it ran' : '',
    ]
      .filter((text) => text !== '')
      .join('; '),
    'Device file': file
      ? `${file.sha256.slice(0, 12)}, written ${localTime(new Date(file.modified_at))}`
      : '',
  }
}

export const resultCommand = defineCommand({
  summary: 'Print the results of a job, and wait for them if necessary',
  positionals: [JOB],
  flags: {
    partial: switchFlag(kinds.bool(), 'Print the results of the circuits that have ended, without waiting'),
    timeout: TIMEOUT_FLAG,
    ...CONNECTION_FLAGS,
  },
  run: ({ flags, positionals: [id = ''] }) =>
    withClient(flags, async (svc) => {
      const job = await readJob(svc, id)
      if (flags.partial && job.status !== 'completed') return job.partialResults()
      const ended = job.isDone ? job : await follow(job, flags.timeout)
      conclude(ended)
      return ended
    }),
  document(found) {
    if ('circuits' in found) return partialDocument(found)
    return found.status === 'completed'
      ? resultOf(found).raw
      : { status: found.status, error: found.error ?? null }
  },
  print: (found) => ('circuits' in found ? console.log(partialLines(found).join('\n')) : printOutcome(found)),
})

function partialDocument({ circuits, ...others }: PartialResults) {
  const results = [...circuits].map(([index, { raw }]) => ({ index, result: raw }))
  return { ...others, results }
}

export const cancelCommand = defineCommand({
  summary: 'Cancel jobs that wait',
  positionals: [{ ...JOB, isRepeatable: true }],
  flags: CONNECTION_FLAGS,
  run: ({ flags, positionals }) =>
    withClient(flags, async (svc) => {
      const outcomes: { id: string; cancelled: boolean; reason: string }[] = []
      for (const id of positionals) outcomes.push(await cancel(svc, id, positionals.length > 1))
      if (outcomes.some(({ cancelled }) => !cancelled)) process.exitCode = 1
      return outcomes
    }),
  print(outcomes) {
    for (const { id, cancelled, reason } of outcomes) {
      if (cancelled) console.log(`Cancelled job ${id}`)
      else process.stderr.write(`Job ${id} was not cancelled: ${plain(reason)}\n`)
    }
  },
})

/** One of several that cannot be cancelled does not keep the others from it. */
async function cancel(svc: SvcClient, id: string, isOneOfSeveral: boolean) {
  try {
    await (await readJob(svc, id)).cancel()
    return { id, cancelled: true, reason: '' }
  } catch (error) {
    if (!isOneOfSeveral && !(error instanceof NotPendingError)) throw error
    return { id, cancelled: false, reason: messageOf(error) }
  }
}
