import { test } from 'bun:test'
import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  advance,
  type ClosedBy,
  gateOf,
  inLine,
  type OpenSession,
  type SessionCharge,
} from '../../../../src/db/store/sessions/machine.ts'
import { part } from '../../../support/whole.ts'

const SECOND = 1_000

function session(id: string, over: Partial<OpenSession> = {}): OpenSession {
  return {
    id,
    user: id,
    mode: 'exclusive',
    state: 'queued',
    rank: 0,
    lastsMs: 600 * SECOND,
    idleMs: 60 * SECOND,
    activatedAt: undefined,
    endsAt: undefined,
    holdersEndAt: Number.POSITIVE_INFINITY,
    activeSince: undefined,
    chargedTo: undefined,
    charges: 0,
    pausedBy: '',
    stoppedAt: undefined,
    end: '',
    ...over,
  }
}

interface Job {
  user: string
  length: number
  submittedAt: number
  endsAt?: number
  startedAt?: number
  session?: string
}

interface Booking {
  user: string
  start: number
  end: number
}

/** One QPU, its sessions, and what they hold: the rest of the service as simple as possible. */
class Model {
  now = 0
  sessions: OpenSession[] = []
  pending: Job[] = []
  running: Job | undefined
  bookings: Booking[] = []
  closedBy: ClosedBy | undefined
  readonly balance = new Map<string, number>()
  readonly charged = new Map<string, number>()
  /** The time for which sessions have to be charged. */
  readonly heldTotal = new Map<string, number>()
  readonly activeAt = new Map<string, number>()
  readonly ended: Job[] = []
  readonly all = new Map<string, OpenSession>()
  readonly charges: SessionCharge[] = []
  #rank = 0

  open(one: OpenSession): void {
    if (this.sessions.some(({ user, state }) => user === one.user && state !== 'closed')) return
    this.#rank += 1
    this.sessions.push({ ...one, rank: this.#rank })
  }

  submit(job: Omit<Job, 'submittedAt'>): void {
    this.pending.push({ ...job, submittedAt: this.now })
    this.activeAt.set(job.user, this.now)
  }

  booking(at = this.now): Booking | undefined {
    return this.bookings.find(({ start, end }) => start <= at && end > at)
  }

  isFunded(user: string): boolean {
    return (this.balance.get(user) ?? 0) > 0
  }

  /** Whether nothing is left that could go on. */
  get isIdle(): boolean {
    const isWaiting = this.pending.some(({ user }) => this.isFunded(user))
    return !isWaiting && !this.running && this.sessions.length === 0
  }

  settle(): void {
    const before = new Map(this.sessions.map((each) => [each.id, each]))
    const { sessions, charges } = advance(this.sessions, {
      now: this.now,
      closedBy: this.closedBy,
      isRunning: this.running !== undefined,
      booking: this.booking(),
      users: new Map(USERS.map((user) => [user, this.#user(user)])),
    })
    for (const charge of charges) {
      this.charges.push(charge)
      const ms = charge.to - charge.from
      assert(ms > 0, 'a charge is longer than nothing')
      this.balance.set(charge.user, (this.balance.get(charge.user) ?? 0) - ms)
      this.charged.set(charge.session, (this.charged.get(charge.session) ?? 0) + ms)
    }
    for (const each of sessions) {
      this.all.set(each.id, each)
      const was = before.get(each.id)
      if (was?.state === 'active' && each.state !== 'active') this.#stopped(was, each.stoppedAt ?? this.now)
    }
    this.sessions = sessions.filter(({ state }) => state !== 'closed')
  }

  /** An exclusive one was held from its activation to its stop, or to the booking of its user. */
  #stopped({ id, user, mode, activeSince: from = 0 }: OpenSession, to: number): void {
    if (mode === 'batch') return
    const own = this.bookings.find((each) => each.user === user && each.start < to && each.end > from)
    const ms = Math.max(0, Math.min(to, own?.start ?? to) - from)
    this.heldTotal.set(id, (this.heldTotal.get(id) ?? 0) + ms)
  }

  #user(user: string) {
    const later = this.bookings.filter((each) => each.user !== user && each.start > this.now)
    return {
      hasJob: this.isFunded(user) && this.pending.some((job) => job.user === user),
      activeAt: this.activeAt.get(user),
      fundedMs: this.balance.get(user) ?? 0,
      nextBookingOfOthers: Math.min(Number.POSITIVE_INFINITY, ...later.map(({ start }) => start)),
    }
  }

  /** What the dispatcher does at a time. */
  step(): void {
    if (this.running?.endsAt !== undefined && this.running.endsAt <= this.now) this.#finish(this.running)
    this.settle()
    this.#assertHolders()
    if (this.running || this.closedBy) return
    const gate = gateOf(this.sessions, this.now)
    const mine = gate && this.pending.find(({ user }) => user === gate.user && this.isFunded(user))
    const booker = this.booking()?.user
    const booked = this.pending.find(({ user }) => user === booker && this.isFunded(user))
    const any = this.pending.find(({ user }) => this.isFunded(user))
    const job = booked ?? mine ?? (gate?.isExclusive || booker !== undefined ? undefined : any)
    if (!job) return
    this.pending.splice(this.pending.indexOf(job), 1)
    job.startedAt = this.now
    job.endsAt = this.now + job.length
    if (gate && gate.user === job.user) job.session = gate.session
    const holder = this.sessions.find(({ state }) => state === 'active')
    // Nobody's job in another's exclusive session.
    assert(holder?.mode !== 'exclusive' || job.user === holder.user, 'no job in the session of another')
    this.running = job
  }

  #finish(job: Job): void {
    const from = job.startedAt ?? 0
    const to = job.endsAt ?? 0
    const own = job.session === undefined ? undefined : this.all.get(job.session)
    if (!own || own.mode === 'batch')
      this.balance.set(job.user, (this.balance.get(job.user) ?? 0) - (to - from))
    this.activeAt.set(job.user, this.now)
    this.ended.push(job)
    this.running = undefined
  }

  #assertHolders(): void {
    const active = this.sessions.filter(({ state }) => state === 'active')
    // Never two holders.
    assert(active.length <= 1, 'never two holders')
    const [holder] = active
    const booking = this.booking()
    // Bookings are unharmed.
    assert(!holder || !booking || holder.user === booking.user, 'a booking is unharmed')
    assert(!holder || this.closedBy === undefined, 'a session of a closed QPU is paused')
    assert(!holder || inLine(this.sessions)[0] === holder, 'who holds the QPU is first in line')
  }
}

const USERS = ['ada', 'bob', 'cyd', 'dan']
const CLOSED: readonly (ClosedBy | undefined)[] = [
  undefined,
  undefined,
  'maintenance',
  'offline',
  'draining',
  'calibrating',
]

/** A schedule that follows from a seed. */
class Schedule {
  readonly model = new Model()
  readonly #random: () => number
  #number = 0

  constructor(seed: number) {
    this.#random = randomOf(seed)
    for (const user of USERS)
      this.model.balance.set(user, this.int(0, 9) === 0 ? this.int(1, 200) * SECOND : 1e9)
    let start = 0
    for (let left = this.int(0, 4); left > 0; left--) {
      start += this.int(1, 900) * SECOND
      const end = start + this.int(1, 400) * SECOND
      this.model.bookings.push({ user: this.pick(USERS), start, end })
      start = end
    }
  }

  int(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1))
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)] as T
  }

  /** Something happens, and time passes. */
  next(): void {
    const { model } = this
    const kind = this.int(0, 9)
    if (kind <= 3) model.submit({ user: this.pick(USERS), length: this.int(1, 40) * 500 })
    else if (kind <= 6) this.#open()
    else if (kind === 7) model.closedBy = this.pick(CLOSED)
    const until = model.now + this.int(0, 60) * SECOND + this.int(0, 999)
    while (model.now < until) {
      model.step()
      model.now += this.int(1, 1_000)
    }
  }

  #open(): void {
    const user = this.pick(USERS)
    this.#number += 1
    const endsItself = this.int(0, 2) === 0
    this.model.open(
      session(`${user}${this.#number}`, {
        user,
        mode: this.pick(['exclusive', 'exclusive', 'batch'] as const),
        lastsMs: this.int(1, 600) * SECOND,
        idleMs: this.int(1, 60) * SECOND,
        holdersEndAt: endsItself ? this.model.now + this.int(1, 400) * SECOND : Number.POSITIVE_INFINITY,
      }),
    )
  }

  /** Nothing is stuck: when the QPU is back, every job of whoever can pay runs, and every session ends. */
  finish(): void {
    const { model } = this
    model.closedBy = undefined
    for (let left = 0; left < 20_000 && !model.isIdle; left++) {
      model.step()
      model.now += SECOND
    }
    assert(model.isIdle, 'no job and no session is stuck')
  }
}

test('advance() keeps its promises on 1,000 random schedules', () => {
  const keepsPromises = (seed: number) => {
    const schedule = new Schedule(seed)
    for (let left = schedule.int(20, 60); left > 0; left--) schedule.next()
    schedule.finish()
    const { heldTotal, charged, charges } = schedule.model
    // What is charged is what was held, each stretch once and at most a minute long.
    for (const [id, ms] of heldTotal) assert.equal(charged.get(id) ?? 0, ms)
    assert(charges.every(({ from, to }) => to - from <= 60_000))
    assert.equal(new Set(charges.map((each) => `${each.session}:${each.number}`)).size, charges.length)
  }
  fc.assert(fc.property(fc.integer(), keepsPromises), { numRuns: part(1_000, 200) })
}, 60_000)

test('advance() lets nothing wait for times that a clock which was ahead has stored', () => {
  const now = 1_000_000
  const later = now + 365 * 86_400_000
  const times = { activatedAt: later, activeSince: later, chargedTo: later }
  const held = session('ada', { ...times, state: 'active', endsAt: later + 600 * SECOND })
  const ada = {
    hasJob: false,
    activeAt: undefined,
    fundedMs: 1e9,
    nextBookingOfOthers: Number.POSITIVE_INFINITY,
  }
  const facts = { closedBy: undefined, isRunning: false, booking: undefined, users: new Map([['ada', ada]]) }
  const first = advance([held], { ...facts, now })
  assert.deepEqual(first.charges, [])
  const [idle] = advance(first.sessions, { ...facts, now: now + 60 * SECOND }).sessions
  assert.equal(idle?.state, 'paused')
  const [ended] = advance(idle ? [idle] : [], { ...facts, now: now + 600 * SECOND }).sessions
  assert.equal(ended?.state, 'closed')
})

test('advance() activates one whose holder ends before its seconds do', () => {
  const user = {
    hasJob: false,
    activeAt: undefined,
    fundedMs: 1e9,
    nextBookingOfOthers: Number.POSITIVE_INFINITY,
  }
  const facts = { closedBy: undefined, isRunning: false, booking: undefined, users: new Map([['ada', user]]) }
  const short = session('ada', { lastsMs: 60 * SECOND, holdersEndAt: 59 * SECOND })
  assert.equal(advance([short], { ...facts, now: 0 }).sessions[0]?.state, 'active')
})

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
