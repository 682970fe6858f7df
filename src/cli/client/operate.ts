import {
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  type SvcClient,
} from '../../../clients/js/src/index.ts'
import { AppError, flag, kinds, switchFlag, type ValuesOf } from '../../base/index.ts'
import { type Command, defineCommand, defineGroup } from '../command-line/command.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { CONNECTION_FLAGS, withClient } from './connection.ts'

const JOB = { name: 'JOB', help: 'Id of a pending job' }
const QPU = { name: 'QPU', help: 'Name of a QPU' }
const REASON = { reason: flag(kinds.text(), 'Why; the people concerned read it', { default: '' }) }
const OFF = { off: switchFlag(kinds.bool(), 'End it') }

/**
 * Runs `work` with the account of a superuser.
 * @throws UsageError for another account; AppError with `missing` for what does not exist.
 */
export async function withOperator<T>(
  flags: ValuesOf<typeof CONNECTION_FLAGS>,
  missing: string,
  work: (svc: SvcClient) => Promise<T>,
): Promise<T> {
  return withClient(flags, async (svc) => {
    try {
      return await work(svc)
    } catch (cause) {
      if (cause instanceof NotFoundError || isOfId(cause)) throw new AppError('not_found', missing, { cause })
      if (!(cause instanceof PermissionDeniedError)) throw cause
      throw new UsageError('the account is not that of a superuser; run svc login ADDRESS --superuser')
    }
  })
}

/** Whether the server refuses the form of an id. */
function isOfId(cause: unknown): boolean {
  return cause instanceof InvalidRequestError && Object.hasOwn(cause.fields, 'resume')
}

/** A command on a job that superusers have. */
function jobOperation(
  summary: string,
  done: string,
  work: (svc: SvcClient, job: string, reason: string) => Promise<unknown>,
): Command {
  return defineCommand({
    summary: `${summary}; for superusers`,
    positionals: [JOB],
    flags: { ...REASON, ...CONNECTION_FLAGS },
    async run({ flags, positionals: [job = ''] }) {
      await withOperator(flags, `there is no job ${job}`, (svc) => work(svc, job, flags.reason))
      console.log(`Job ${job} ${done}`)
    },
  })
}

/**
 * Runs `work` with the id of a QPU, and prints what is done, and why the QPU takes no jobs if `isEnd`.
 * @throws AppError if there is none of this name.
 */
function ofQpu(
  flags: ValuesOf<typeof CONNECTION_FLAGS>,
  name: string,
  { done, isEnd }: { done: string; isEnd: boolean },
  work: (svc: SvcClient, id: string) => Promise<unknown>,
): Promise<unknown> {
  const missing = `there is no QPU ${name}; svc qpus lists them`
  return withOperator(flags, missing, async (svc) => {
    const find = async () => (await svc.qpus()).find((each) => each.name === name || each.id === name)
    const qpu = await find()
    if (!qpu) throw new AppError('not_found', missing)
    await work(svc, qpu.id)
    const left = isEnd ? (await find())?.reason?.text : undefined
    console.log(`QPU ${name} ${done}${left === undefined ? '' : `; now: ${left}`}`)
  })
}

/** A state of a QPU that superusers begin and end, with a reason. */
function qpuOperation(
  summary: string,
  [on, off]: readonly [on: string, off: string],
  work: (svc: SvcClient, id: string, isOn: boolean, reason: string) => Promise<unknown>,
): Command {
  return defineCommand({
    summary: `${summary}; for superusers`,
    positionals: [QPU],
    flags: { ...OFF, ...REASON, ...CONNECTION_FLAGS },
    async run({ flags, positionals: [name = ''] }) {
      const said = { done: flags.off ? off : on, isEnd: flags.off }
      await ofQpu(flags, name, said, (svc, id) => work(svc, id, !flags.off, flags.reason))
    },
  })
}

const enableCommand = defineCommand({
  summary: 'Enable a QPU, or disable it and disconnect its drivers; for superusers',
  positionals: [QPU],
  flags: { off: switchFlag(kinds.bool(), 'Disable it'), ...CONNECTION_FLAGS },
  async run({ flags, positionals: [name = ''] }) {
    const said = { done: flags.off ? 'is disabled' : 'is enabled', isEnd: !flags.off }
    await ofQpu(flags, name, said, (svc, id) => svc.admin.toggleQpu({ id, enabled: !flags.off }))
  },
})

const moveCommand = defineCommand({
  summary: 'Move a pending job to another QPU; for superusers',
  positionals: [JOB, QPU],
  flags: {
    ...REASON,
    toSimulator: switchFlag(kinds.bool(), 'Also to a simulator, for a job that waits for hardware'),
    ...CONNECTION_FLAGS,
  },
  async run({ flags, positionals: [job = '', qpu = ''] }) {
    const { reason, toSimulator: to_simulator } = flags
    await withOperator(flags, `there is no job ${job}, or no QPU ${qpu}`, (svc) =>
      svc.admin.move(job, { qpu, reason, to_simulator }),
    )
    console.log(`Job ${job} waits for QPU ${qpu}`)
  },
})

/** The commands of superusers below `svc job`. */
export const JOB_OPERATIONS: Command['subCommands'] = {
  hold: () =>
    jobOperation('Hold a pending job until it is released', 'is held', (svc, job, reason) =>
      svc.admin.hold(job, reason),
    ),
  release: () =>
    jobOperation('Release a held job', 'is released', (svc, job, reason) => svc.admin.release(job, reason)),
  first: () =>
    jobOperation('Run a pending job before all others', 'runs next', (svc, job, reason) =>
      svc.admin.runNext(job, reason),
    ),
  move: () => moveCommand,
}

export const qpuCommand = defineGroup('Drain, maintain or enable a QPU, as a superuser', {
  drain: () =>
    qpuOperation(
      'Let the running job of a QPU finish and start no other, or end that',
      ['drains: no further job starts', 'no longer drains'],
      (svc, id, drain, reason) => svc.admin.drain({ id, drain, reason }),
    ),
  maintenance: () =>
    qpuOperation(
      'Begin or end the maintenance of a QPU',
      ['is in maintenance', 'is no longer in maintenance'],
      (svc, id, maintenance, reason) => svc.admin.setMaintenance({ id, maintenance, reason }),
    ),
  enable: () => enableCommand,
})
