/**
 * Explicit-state model of one job, its attempts, its charge and two drivers that may hold the QPU's lease.
 *
 * The server is a sequence of atomic steps (one transaction each, then one message); messages may be lost,
 * delayed and reordered; drivers and the server may crash between any two steps.
 */

import { type Exploration, explore } from './explore.ts'
import {
  copyOf,
  countAttempt,
  type Driver,
  ended,
  type Faults,
  MAX_ATTEMPTS,
  MAX_EPOCH,
  type Message,
  moveTo,
  NO_DRIVER,
  type Outcome,
  type State,
  type Step,
  start,
} from './job-state.ts'

/** Guards of the real store that can be removed, to show that the model detects their absence. */
export interface Guards {
  /** A result counts only for the job's current attempt. */
  attemptFence: boolean
  /** A result counts only while the job has not ended. */
  stateGuard: boolean
  /** A result is accepted also if the job is `pending` again and was not claimed again (T3'). */
  lateResults: boolean
  /** The charge is written only when the guarded change of state applied. */
  chargeInsideGuard: boolean
  /** A result of an attempt that an operator requeued is stale. */
  requeueFence: boolean
}

export const ALL_GUARDS: Guards = {
  attemptFence: true,
  stateGuard: true,
  lateResults: true,
  chargeInsideGuard: true,
  requeueFence: true,
}

function isCurrent(state: State, { attempt }: Message, guards: Guards): boolean {
  if (guards.requeueFence && attempt === state.requeuedAttempt) return false
  return !guards.attemptFence || attempt === state.attempt
}

/** The transaction that a result starts at the server: T3, T3' or T5. */
function receiveResult(state: State, message: Message, guards: Guards): void {
  const current = isCurrent(state, message, guards)
  const open = !guards.stateGuard || state.status === 'running' || state.status === 'pending'
  const inTime = guards.lateResults || state.status === 'running'
  if (message.outcome === 'error') {
    if (current && state.status === 'running') countAttempt(state)
  } else {
    const applies = current && open && inTime
    if (applies) {
      moveTo(state, 'completed')
      state.resultOf = message.attempt
      state.attemptOpen = false
    }
    if (applies || !guards.chargeInsideGuard) state.charges++
  }
  state.owed = { kind: 'ack', driver: message.driver, epoch: 0, attempt: message.attempt }
}

/** Collects the successors of a state: each is a changed copy with the name of the step. */
class Successors {
  readonly steps: Step[] = []
  readonly #from: State

  constructor(from: State) {
    this.#from = from
  }

  add(name: string, change: (state: State) => void): void {
    const after = copyOf(this.#from)
    change(after)
    this.steps.push([name, after])
  }

  /** A step that takes message `index` off the network. */
  take(name: string, index: number, change: (state: State) => void): void {
    this.add(name, (state) => {
      state.net.splice(index, 1)
      change(state)
    })
  }
}

function serverSteps(state: State, out: Successors): void {
  const { owed, holder } = state
  if (owed?.kind === 'dispatch') {
    out.add('send dispatch', (next) => {
      next.owed = null
      const hasLease = next.holder !== NO_DRIVER && next.epoch === owed.epoch
      // Nothing was sent: the attempt is undelivered and does not count.
      if (hasLease) next.net.push({ ...owed, kind: 'dispatch', outcome: 'ok' })
      else if (next.status === 'running') {
        next.attemptOpen = false
        moveTo(next, 'pending')
      }
    })
  }
  if (owed?.kind === 'ack') {
    out.add('send ack', (next) => {
      next.owed = null
      const ack: Message = { ...owed, kind: 'ack', outcome: 'ok' }
      if (!next.net.some((other) => rankOf(other) === rankOf(ack))) next.net.push(ack)
    })
  }
  if (owed) return
  if (state.status === 'pending' && holder !== NO_DRIVER) {
    out.add('claim', (next) => {
      next.attempt++
      next.attemptDriver = holder
      next.attemptOpen = true
      moveTo(next, 'running')
      next.owed = { kind: 'dispatch', driver: holder, epoch: next.epoch, attempt: next.attempt }
    })
  }
  if (state.status === 'pending' && state.cancels > 0) {
    out.add('cancel', (next) => {
      next.cancels--
      moveTo(next, 'cancelled')
    })
  }
  if (state.status === 'running' && state.left.requeues > 0) {
    out.add('operator requeues', (next) => {
      next.left.requeues--
      next.attemptOpen = false
      next.requeuedAttempt = next.attempt
      moveTo(next, 'pending')
      const { attempt, attemptDriver: driver } = next
      next.net.push({ kind: 'stop', driver, epoch: 0, attempt, outcome: 'ok' })
    })
  }
  // A deadline passes early by bad luck (budgeted), or when nothing is in progress any more.
  const quiet =
    state.net.every((message) => message.kind === 'ack') &&
    state.drivers.every((driver) => driver.running === 0 && driver.outbox.length === 0)
  if (state.status === 'running' && (state.left.timeouts > 0 || quiet)) {
    out.add('deadline', (next) => {
      if (next.left.timeouts > 0) next.left.timeouts--
      countAttempt(next)
    })
  }
}

/** Whether the server has no trace of a finished attempt that its driver has just discarded. */
function losesResult(state: State, finished: Driver['outbox'][number]): boolean {
  if (ended(state) || finished.attempt < state.attempt || finished.attempt === state.requeuedAttempt)
    return false
  return finished.outcome === 'ok' || state.attemptOpen
}

function receiveDispatch(state: State, message: Message, index: number, out: Successors): void {
  const { attempt, epoch } = message
  const receiver = state.drivers[message.driver]
  if (!receiver) return
  const known = receiver.outbox.some((each) => each.attempt === attempt)
  if (receiver.running === 0) {
    out.take('driver receives dispatch', index, (next) => {
      const self = next.drivers[message.driver]
      if (self && !known && self.epoch === epoch) self.running = attempt
    })
  }
  const unwilling = receiver.running !== 0 || receiver.epoch !== epoch
  if (unwilling && !known && state.left.refusals > 0) {
    out.take('driver refuses dispatch', index, (next) => {
      next.left.refusals--
      next.net.push({ ...message, kind: 'refusal' })
    })
  }
}

function deliverySteps(state: State, guards: Guards, out: Successors): void {
  state.net.forEach((message, index) => {
    const { kind, driver, attempt } = message
    if (kind === 'dispatch') receiveDispatch(state, message, index, out)
    if (kind === 'ack') {
      out.take('driver receives ack', index, (next) => {
        const receiver = next.drivers[driver]
        if (!receiver) return
        const acked = receiver.outbox.find((each) => each.attempt === attempt)
        receiver.outbox = receiver.outbox.filter((each) => each.attempt !== attempt)
        if (acked && losesResult(next, acked)) {
          next.broken = 'I8 an acknowledged result was neither applied nor stale'
        }
      })
    }
    if (kind === 'stop') {
      out.take('driver receives stop', index, (next) => {
        const receiver = next.drivers[driver]
        if (receiver?.running === attempt) receiver.running = 0
      })
    }
    if (kind === 'result' && !state.owed) {
      out.take('server receives result', index, (next) => receiveResult(next, message, guards))
    }
    if (kind === 'refusal' && !state.owed) {
      out.take('server receives refusal', index, (next) => {
        if (next.status !== 'running' || next.attempt !== attempt || next.attemptDriver !== driver) return
        next.attemptOpen = false
        moveTo(next, 'pending')
      })
    }
    if (state.left.losses > 0) {
      out.take(`lose ${kind}`, index, (next) => {
        next.left.losses--
      })
    }
  })
}

function driverSteps(state: State, out: Successors): void {
  state.drivers.forEach((driver, index) => {
    runSteps(state, driver, index, out)
    connectionSteps(state, driver, index, out)
  })
}

function runSteps(state: State, driver: Driver, index: number, out: Successors): void {
  const finish = (outcome: Outcome) => (next: State) => {
    const self = next.drivers[index]
    if (!self) return
    if (outcome === 'error') next.left.deviceErrors--
    self.outbox.push({ attempt: self.running, outcome })
    self.outbox.sort((one, other) => one.attempt - other.attempt)
    self.running = 0
  }
  if (driver.running) out.add(`driver ${index} finishes`, finish('ok'))
  if (driver.running && state.left.deviceErrors > 0) out.add(`driver ${index} fails`, finish('error'))
  for (const { attempt, outcome } of driver.outbox) {
    const message: Message = { kind: 'result', driver: index, epoch: driver.epoch, attempt, outcome }
    const underWay = state.net.some(
      (other) => other.kind === 'result' && other.driver === index && other.attempt === attempt,
    )
    if (!underWay) out.add(`driver ${index} sends result`, (next) => void next.net.push(message))
  }
}

function connectionSteps(state: State, driver: Driver, index: number, out: Successors): void {
  const busy = driver.running !== 0 || driver.outbox.length > 0 || index === state.holder
  if (state.left.crashes > 0 && busy) {
    out.add(`driver ${index} crashes`, (next) => {
      next.left.crashes--
      // The outbox is on disk; the running task and messages on the wire are lost.
      next.drivers[index] = { epoch: 0, running: 0, outbox: driver.outbox }
      next.net = next.net.filter((message) => message.driver !== index)
      if (next.holder === index) next.holder = NO_DRIVER
    })
  }
  if (state.left.powerFailures > 0 && driver.outbox.length > 0) {
    out.add(`driver ${index} loses power in a flush`, (next) => {
      next.left.powerFailures--
      // The result may have been sent already; what the server has received remains received.
      next.drivers[index] = { epoch: 0, running: 0, outbox: driver.outbox.slice(0, -1) }
      next.net = next.net.filter((message) => message.driver !== index)
      if (next.holder === index) next.holder = NO_DRIVER
    })
  }
  if (state.holder === NO_DRIVER && (state.epoch < MAX_EPOCH || index === 0)) {
    out.add(`driver ${index} connects`, (next) => {
      if (next.epoch < MAX_EPOCH) next.epoch++
      next.holder = index
      next.drivers[index] = { ...driver, epoch: next.epoch }
    })
  }
}

function leaseSteps(state: State, out: Successors): void {
  if (state.holder !== NO_DRIVER && state.left.takeovers > 0) {
    out.add('hand over', (next) => {
      next.left.takeovers--
      next.epoch++
      next.holder = 1 - next.holder
      const holder = next.drivers[next.holder]
      if (holder) holder.epoch = next.epoch
    })
  }
  if (state.left.crashes > 0) {
    out.add('server crashes', (next) => {
      next.left.crashes--
      next.owed = null
      next.net = []
      next.holder = NO_DRIVER
      for (const driver of next.drivers) driver.epoch = 0
    })
  }
}

function successors(state: State, guards: Guards): Step[] {
  const out = new Successors(state)
  serverSteps(state, out)
  deliverySteps(state, guards, out)
  driverSteps(state, out)
  leaseSteps(state, out)
  return out.steps
}

/** The guarantee that this state violates, or ''. */
function violatedInvariant(state: State): string {
  if (state.broken) return state.broken
  if (state.charges > 1) return 'I3 charged twice'
  if ((state.charges === 1) !== (state.status === 'completed')) {
    return 'I3/I6 a charge without completion, or the reverse'
  }
  if (state.resultOf && state.resultOf !== state.attempt) return 'I4 the result of another attempt was taken'
  if (state.resultOf && state.resultOf === state.requeuedAttempt)
    return 'I4 a result that was taken back was taken'
  if (state.counted > MAX_ATTEMPTS) return 'I9 too many attempts'
  if (state.attemptOpen !== (state.status === 'running')) return 'I14 running without an open attempt'
  const early = state.net.some((message) => message.kind === 'dispatch' && message.attempt > state.attempt)
  return early ? 'I5 dispatched before the claim was durable' : ''
}

const KINDS: readonly Message['kind'][] = ['dispatch', 'result', 'ack', 'refusal', 'stop']
/** More than there are epochs or attempts. */
const MOST = 64

/**
 * A number of its own for each message. Their order has no meaning: states that differ in it only are one.
 */
function rankOf({ kind, driver, epoch, attempt, outcome }: Message): number {
  const sender = 2 * KINDS.indexOf(kind) + driver
  return 2 * (MOST * (MOST * sender + epoch) + attempt) + (outcome === 'ok' ? 0 : 1)
}

function stateKey(state: State): string {
  if (state.net.length > 1) state.net.sort((one, other) => rankOf(one) - rankOf(other))
  return JSON.stringify(state)
}

/** Visits every state of the job that the given faults can lead to. */
export function exploreJob(faults: Faults, guards: Guards = ALL_GUARDS): Exploration {
  return explore({
    start: start(faults),
    key: stateKey,
    steps: (state) => successors(state, guards),
    violatedInvariant,
    ended,
  })
}
