import { describe, expect, test } from 'bun:test'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { COUNTS } from '../../../src/server/admission/limits.ts'
import { WAIT_LIMITS, Waits } from '../../../src/server/waiting/waits.ts'
import { claimNow, JobLab } from '../../support/server/job-lab.ts'

const REQUESTS = COUNTS.waitingRequests.bounds

const isEnded = (status: string) => status === 'completed'

/** Waits of a lab that runs. */
function waitsOf({ db, clock }: JobLab) {
  const waits = new Waits({
    ...{ db, clock, collection: quantumJobs.name },
    stateOf: (job) => Object(job).status,
  })
  waits.start()
  const enter = (job: string, account = 'user:a', seconds = 10, signal = new AbortController().signal) =>
    waits.enter({ account, ids: [job], seconds, isAwaited: isEnded, signal })
  return { waits, enter }
}

/** Whether a promise has settled by now. */
async function isSettled(lab: JobLab, promise: Promise<void>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await lab.settle()
  return settled
}

describe('Waits', () => {
  test('an account has at most 250 waits, all together 5,000; a place given back is free again', async () => {
    await using lab = await JobLab.open()
    const { waits, enter } = waitsOf(lab)
    const own = Array.from({ length: REQUESTS.account }, () => enter('job', 'user:a'))
    const refusal = { code: 'limited', reason: 'too_many_waiting_requests', retryAfter: 5 }
    expect(() => enter('job', 'user:a')).toThrow(expect.objectContaining(refusal))
    for (let account = 1; waits.size < REQUESTS.all; account += 1) {
      for (let each = 0; each < REQUESTS.account; each += 1) enter(`job ${each}`, `user:${account}`)
    }
    expect(() => enter('job', 'user:last')).toThrow(expect.objectContaining(refusal))
    own[0]?.[Symbol.dispose]()
    enter('job', 'user:last')[Symbol.dispose]()
    enter('job', 'user:a')
    expect([REQUESTS.account, REQUESTS.all, waits.size]).toEqual([250, 5_000, 5_000])
    waits.stop()
  })

  test('jobs count as well: 5,000 of an account and 50,000 in all, however many requests wait for them', async () => {
    await using lab = await JobLab.open()
    const { waits } = waitsOf(lab)
    const { account: jobsOfAccount, all: jobs } = COUNTS.awaitedJobs.bounds
    const { jobsOfRequest } = WAIT_LIMITS
    const enter = (account: string) =>
      waits.enter({
        account,
        ids: Array.from({ length: jobsOfRequest }, (_, at) => `job ${at}`),
        seconds: 10,
        isAwaited: isEnded,
        signal: new AbortController().signal,
      })
    const refusal = expect.objectContaining({ reason: 'too_many_waiting_requests' })
    for (let account = 0; account < jobs / jobsOfAccount; account += 1) {
      for (let each = 0; each < jobsOfAccount / jobsOfRequest; each += 1) enter(`user:${account}`)
      expect(() => enter(`user:${account}`)).toThrow(refusal)
    }
    expect(() => enter('user:last')).toThrow(refusal)
    expect([jobsOfRequest, jobsOfAccount, jobs]).toEqual([500, 5_000, 50_000])
    waits.stop()
  })

  test('an awaited status resumes, another one does not; a deleted job does', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const user = await lab.user()
    const job = await lab.submit(user)
    const other = await lab.submit(user)
    const { enter } = waitsOf(lab)
    const wait = enter(job.id)
    const next = wait.next()
    await lab.db.write('claim', (tx) => claimNow(tx, job.id, server))
    expect(await isSettled(lab, next)).toBe(false)
    await lab.complete(job.id)
    expect([await isSettled(lab, next), wait.isOver]).toEqual([true, false])
    const removed = enter(other.id).next()
    await lab.db.write('remove', (tx) => tx.remove(quantumJobs, other.id))
    expect(await isSettled(lab, removed)).toBe(true)
  })

  test('the end of one wait leaves the others of its job, and those of its account', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const job = await lab.submit(await lab.user())
    const { enter, waits } = waitsOf(lab)
    const [first, second] = [enter(job.id), enter(job.id)]
    const next = second.next()
    first[Symbol.dispose]()
    expect(waits.size).toBe(1)
    await lab.db.write('claim', (tx) => claimNow(tx, job.id, server))
    await lab.complete(job.id)
    expect(await isSettled(lab, next)).toBe(true)
    second[Symbol.dispose]()
    expect(waits.size).toBe(0)
  })

  test('a wait is over at its time and not before, and one timer serves all', async () => {
    await using lab = await JobLab.open()
    const { waits, enter } = waitsOf(lab)
    const idle = lab.clock.sleepers
    const short = enter('job', 'user:a', 1)
    const long = enter('job', 'user:a', 60)
    const next = long.next()
    expect(lab.clock.sleepers).toBe(idle + 1)
    await lab.clock.advance(999)
    expect(short.isOver).toBe(false)
    await lab.clock.advance(251)
    expect([short.isOver, long.isOver]).toEqual([true, false])
    for (let each = 0; each < 58; each += 1) await lab.clock.advance(1_000)
    expect([await isSettled(lab, next), long.isOver]).toEqual([false, false])
    await lab.clock.advance(1_001)
    expect([await isSettled(lab, next), long.isOver]).toEqual([true, true])
    for (const wait of [short, long]) wait[Symbol.dispose]()
    await lab.clock.advance(500)
    expect([waits.size, lab.clock.sleepers]).toEqual([0, idle])
  })

  test('a client that leaves and the stop of the server end a wait', async () => {
    await using lab = await JobLab.open()
    const { waits, enter } = waitsOf(lab)
    const client = new AbortController()
    const left = enter('job', 'user:a', 60, client.signal)
    const stayed = enter('job', 'user:a', 60)
    const [leaves, stops] = [left.next(), stayed.next()]
    client.abort()
    expect([await isSettled(lab, leaves), left.isOver, stayed.isOver]).toEqual([true, true, false])
    waits.stop()
    expect([await isSettled(lab, stops), stayed.isOver]).toEqual([true, true])
    expect(enter('job').isOver).toBe(true)
  })

  test('requests whose waits end together go on in many turns, and accounts take turns', async () => {
    await using lab = await JobLab.open()
    const { waits, enter } = waitsOf(lab)
    let turn = 0
    const count = () => {
      turn += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const turns = new Set<number>()
    const order: string[] = []
    const request = async (account: string) => {
      await enter('job', account).next()
      turns.add(turn)
      order.push(account)
      await lab.clock.advance(2)
    }
    const all = [...Array.from({ length: 30 }, () => request('user:a')), request('user:b')]
    waits.stop()
    await Promise.all(all)
    clearImmediate(counting)
    // Three in a turn of 5 ms.
    expect(turns.size).toBeGreaterThanOrEqual(8)
    expect(order.indexOf('user:b')).toBeLessThan(5)
  })
})
