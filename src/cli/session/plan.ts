import type { SvcClient } from '../../../clients/js/src/index.ts'
import { AppError, DAY_MS, flag, fromTimestamp, kinds, SECOND_MS, systemClock } from '../../base/index.ts'
import { CONNECTION_FLAGS, withClient } from '../client/connection.ts'
import { plain } from '../client/output.ts'
import { defineCommand } from '../command-line/command.ts'

/** How far bookings are looked at. */
const HORIZON_MS = 14 * DAY_MS

/** What keeps a session from a QPU; for a calibration it would only pause. */
const BUSY: ReadonlySet<BusyTime['kind']> = new Set(['slot', 'session', 'batch_session'])

type Qpu = Awaited<ReturnType<SvcClient['qpus']>>[number]
type BusyTime = Awaited<ReturnType<SvcClient['schedule']>>[number]

export const planCommand = defineCommand({
  summary: 'Print when a QPU is expected to be free for a session, as sbatch --begin reads it',
  positionals: [{ name: 'QPU', help: 'Name of the QPU' }],
  flags: {
    seconds: flag(kinds.integer({ min: 1 }), 'How long the session is to last', { default: '3600' }),
    ...CONNECTION_FLAGS,
  },
  run: ({ flags, positionals: [name = ''] }) =>
    withClient(flags, async (svc) => {
      const now = systemClock.now()
      const [qpus, busy] = await Promise.all([
        svc.qpus(),
        svc.schedule(new Date(now), new Date(now + HORIZON_MS)),
      ])
      const qpu = qpus.find((each) => each.name === name || each.id === name)
      if (!qpu) throw new AppError('not_found', `there is no QPU ${name}; svc qpus lists them`)
      const at = freeFrom(qpu, busy, { now, lastsMs: flags.seconds * SECOND_MS })
      return { qpu: qpu.name, begin: new Date(at).toISOString(), seconds: Math.ceil((at - now) / SECOND_MS) }
    }),
  // Relative, because the scheduler may be in another time zone.
  print: ({ seconds }) => console.log(seconds <= 0 ? 'now' : `now+${seconds}`),
})

/**
 * When a QPU is free for so long, between the bookings and sessions of others.
 * @throws AppError while it runs no jobs and nobody can say until when.
 */
function freeFrom(
  { id, name, estimated_start: start, waiting }: Pick<Qpu, 'id' | 'name' | 'estimated_start' | 'waiting'>,
  busy: readonly BusyTime[],
  { now, lastsMs }: { now: number; lastsMs: number },
): number {
  if (!start)
    throw new AppError('unavailable', `no estimate for ${name}: ${plain(waiting?.text ?? 'it runs no jobs')}`)
  const others = busy
    .filter(({ qpu, kind, mine }) => (qpu === '' || qpu === id) && BUSY.has(kind) && !mine)
    .map(({ start: from, end }) => ({ from: fromTimestamp(from) ?? now, to: fromTimestamp(end) ?? Infinity }))
    .toSorted((one, other) => one.from - other.from)
  const earliest = waiting ? Math.max(now, fromTimestamp(start.to) ?? now) : now
  return others.reduce((at, { from, to }) => (from < at + lastsMs && to > at ? to : at), earliest)
}

export const mirrorCommand = defineCommand({
  summary:
    'Print the line Licenses= of slurm.conf: one license for each QPU that runs jobs now, 0 for others',
  flags: {
    prefix: flag(kinds.text(), 'Begin of the name of each license', { default: 'svc_' }),
    each: flag(kinds.integer({ min: 1 }), 'Licenses of a QPU that runs jobs', { default: '1' }),
    ...CONNECTION_FLAGS,
  },
  run: ({ flags }) =>
    withClient(flags, async (svc) => {
      const counts = (await svc.qpus()).map(({ name, reason }) => [
        `${flags.prefix}${name}`,
        reason ? 0 : flags.each,
      ])
      return Object.fromEntries(counts) as Record<string, number>
    }),
  print: (counts) =>
    console.log(
      `Licenses=${Object.entries(counts)
        .map(([name, count]) => `${name}:${count}`)
        .join(',')}`,
    ),
})
