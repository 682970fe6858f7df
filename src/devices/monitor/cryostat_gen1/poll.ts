import type { Log } from '../../../base/index.ts'
import type { Channel } from './channels.ts'
import type { Outcome, ReadChannel } from './client.ts'
import { beatsOf, decideStreak, NO_STREAK, type PollResult } from './poll-streak.ts'
import type { Reading } from './read-reply.ts'
import { splitReadings } from './split-readings.ts'

interface PollParts {
  channels: readonly Channel[]
  read: ReadChannel
  log: Log
  /** Length of a beat. */
  intervalS: number
  /** Takes readings by channel path, at most 64 KiB at a time. */
  emit(readings: Record<string, Reading>): void
}

const PARALLEL_MAX = 8
/** A channel that does not exist is asked for at every tenth beat. */
const ABSENT_BEATS = 10

type Asked = readonly [Channel, Outcome]

/** The work of one beat: reads the channels and emits their readings, or sits the beat out. */
export function createPoll({ channels, read, log, intervalS, emit }: PollParts) {
  const absent = new Map<string, { outcome: Outcome; beatsLeft: number }>()
  let streak = NO_STREAK
  let said: PollResult = 'answered'
  let beatsLeft = 0
  let late = { isLate: false, total: 0 }

  function noteSkipped(skipped: number): void {
    const total = late.total + skipped
    if (skipped > 0 && !late.isLate) {
      log.warn('reading takes longer than poll_interval; ticks are skipped', { skipped, total })
    }
    late = { isLate: skipped > 0, total }
  }

  function noteAbsent({ path }: Channel, outcome: Outcome): void {
    if (outcome.fault !== 'absent') absent.delete(path)
    else {
      if (!absent.has(path)) {
        log.warn('channel does not exist; it is asked for again at every tenth tick', { channel: path })
      }
      absent.set(path, { outcome, beatsLeft: ABSENT_BEATS })
    }
  }

  function noteResult(result: PollResult, asked: readonly Asked[]): void {
    streak = decideStreak(streak, result)
    beatsLeft = beatsOf(streak, intervalS) - 1
    if (result === said) return
    said = result
    const error = asked.find(([, { fault }]) => fault === result)?.[1].reading.error
    if (result === 'answered') log.info('cryostat answers again')
    else if (result === 'denied') log.warn('cryostat refuses the key; check api_key', { error })
    else log.warn('no channel could be read', { error })
  }

  return async function poll(signal: AbortSignal, skipped: number): Promise<void> {
    noteSkipped(skipped)
    for (const each of absent.values()) each.beatsLeft -= 1
    if (beatsLeft > 0) {
      beatsLeft -= 1
      return
    }
    const due = channels.filter(({ path }) => (absent.get(path)?.beatsLeft ?? 0) <= 0)
    if (due.length === 0) return
    const asked = await readAll(due, (channel) => read(channel, signal))
    for (const [channel, outcome] of asked) noteAbsent(channel, outcome)
    const result = resultOf(asked)
    if (result !== undefined) noteResult(result, asked)
    if (result !== 'answered') return
    const outcomes = new Map(asked.map(([{ path }, outcome]) => [path, outcome]))
    const readings = channels.flatMap(({ path }) => {
      const outcome = outcomes.get(path) ?? absent.get(path)?.outcome
      return outcome ? [[path, outcome.reading] as const] : []
    })
    for (const part of splitReadings(readings)) emit(part)
  }
}

/** Undefined when the cryostat answered only that it has none of these channels. */
function resultOf(asked: readonly Asked[]): PollResult | undefined {
  const faults = asked.map(([, { fault }]) => fault)
  if (faults.includes(undefined)) return 'answered'
  if (faults.includes('denied')) return 'denied'
  return faults.includes('failed') ? 'failed' : undefined
}

/** Reads all, at most eight at a time, in order. */
async function readAll(
  channels: readonly Channel[],
  read: (channel: Channel) => Promise<Outcome>,
): Promise<Asked[]> {
  const asked: Asked[] = []
  const rest = channels.entries()
  async function work(): Promise<void> {
    for (const [index, channel] of rest) asked[index] = [channel, await read(channel)]
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL_MAX, channels.length) }, work))
  return asked
}
