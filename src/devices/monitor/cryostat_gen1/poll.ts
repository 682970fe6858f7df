import type { Log } from '../../../base/index.ts'
import type { Channel } from './channels.ts'
import type { Outcome, ReadChannel } from './client.ts'
import { decideStreak, NO_STREAK, type PollResult, ticksOf } from './poll-streak.ts'
import type { Reading } from './read-reply.ts'
import { splitReadings } from './split-readings.ts'

interface PollDependencies {
  channels: readonly Channel[]
  read: ReadChannel
  log: Log
  /** Time between ticks. */
  intervalS: number
  /** Receives readings by channel path, at most 64 KiB at a time. */
  emit(readings: Record<string, Reading>): void
}

const MAX_PARALLEL_READS = 8
/** A channel that does not exist, or is a group, is requested at every tenth tick. */
const ABSENT_CHANNEL_TICKS = 10

type ChannelResult = readonly [Channel, Outcome]

/**
 * Creates the function to call at every tick: it reads the channels and emits their readings, or skips the
 * tick.
 */
export function createPoll({ channels, read, log, intervalS, emit }: PollDependencies) {
  const absent = new Map<string, { outcome: Outcome; ticksLeft: number }>()
  let streak = NO_STREAK
  let lastResult: PollResult = 'answered'
  let ticksLeft = 0
  let late = { isLate: false, total: 0 }

  function recordSkipped(skipped: number): void {
    const total = late.total + skipped
    if (skipped > 0 && !late.isLate) {
      log.warn('reading takes longer than poll_interval; ticks are skipped', { skipped, total })
    }
    late = { isLate: skipped > 0, total }
  }

  function recordAbsent({ path }: Channel, outcome: Outcome): void {
    if (outcome.fault !== 'absent') absent.delete(path)
    else {
      if (!absent.has(path)) {
        const { error } = outcome.reading
        log.warn('channel has no value; it is requested again at every tenth tick', { channel: path, error })
      }
      absent.set(path, { outcome, ticksLeft: ABSENT_CHANNEL_TICKS })
    }
  }

  function recordResult(result: PollResult, results: readonly ChannelResult[]): void {
    streak = decideStreak(streak, result)
    ticksLeft = ticksOf(streak, intervalS) - 1
    if (result === lastResult) return
    lastResult = result
    const error = results.find(([, { fault }]) => fault === result)?.[1].reading.error
    if (result === 'answered') log.info('cryostat responds again')
    else if (result === 'denied') log.warn('cryostat refuses the key; check api_key', { error })
    else log.warn('no channel could be read', { error })
  }

  return async function poll(signal: AbortSignal, skipped: number): Promise<void> {
    recordSkipped(skipped)
    for (const each of absent.values()) each.ticksLeft -= 1
    if (ticksLeft > 0) {
      ticksLeft -= 1
      return
    }
    const due = channels.filter(({ path }) => (absent.get(path)?.ticksLeft ?? 0) <= 0)
    if (due.length === 0) return
    const results = await readAll(due, (channel) => read(channel, signal))
    for (const [channel, outcome] of results) recordAbsent(channel, outcome)
    const result = resultOf(results)
    if (result !== undefined) recordResult(result, results)
    if (result !== 'answered') return
    const outcomes = new Map(results.map(([{ path }, outcome]) => [path, outcome]))
    const readings = channels.flatMap(({ path }) => {
      const outcome = outcomes.get(path) ?? absent.get(path)?.outcome
      return outcome ? [[path, outcome.reading] as const] : []
    })
    for (const part of splitReadings(readings)) emit(part)
  }
}

/** Undefined when the cryostat reported of every channel that it does not exist. */
function resultOf(results: readonly ChannelResult[]): PollResult | undefined {
  const faults = results.map(([, { fault }]) => fault)
  if (faults.includes(undefined)) return 'answered'
  if (faults.includes('denied')) return 'denied'
  return faults.includes('failed') ? 'failed' : undefined
}

/** Reads all channels, at most eight at a time; the outcomes are in the order of the channels. */
async function readAll(
  channels: readonly Channel[],
  read: (channel: Channel) => Promise<Outcome>,
): Promise<ChannelResult[]> {
  const results: ChannelResult[] = []
  const rest = channels.entries()
  async function work(): Promise<void> {
    for (const [index, channel] of rest) results[index] = [channel, await read(channel)]
  }
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL_READS, channels.length) }, work))
  return results
}
