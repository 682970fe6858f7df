/** The number of times that each kind of fault may happen in one run. */
export interface Faults {
  crashes: number
  /** Power failures of a driver while its newest result is flushed. */
  powerFailures: number
  losses: number
  timeouts: number
  takeovers: number
  deviceErrors: number
  /** Dispatches that a driver refuses; further ones wait or are dropped. */
  refusals: number
  /** Running jobs that an operator requeues. */
  requeues: number
}

export const MAX_ATTEMPTS = 3
export const MAX_EPOCH = 3
export const NO_DRIVER = -1

export type Status = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
export type Outcome = 'ok' | 'error'

export interface Message {
  kind: 'dispatch' | 'result' | 'ack' | 'refusal' | 'stop'
  driver: number
  epoch: number
  attempt: number
  outcome: Outcome
}

export interface Driver {
  /** Epoch of the lease that the driver has; 0 without one. */
  epoch: number
  /** Attempt that the driver executes; 0 when idle. */
  running: number
  /** Finished attempts on disk, not acknowledged yet. */
  outbox: { attempt: number; outcome: Outcome }[]
}

/** The message that the server must send after its last transaction; a crash loses it. */
export interface Owed {
  kind: 'dispatch' | 'ack'
  driver: number
  epoch: number
  attempt: number
}

export interface State {
  status: Status
  attempt: number
  /** The driver of the current attempt. */
  attemptDriver: number
  attemptOpen: boolean
  /** Attempts that count against the maximum: lost or ended by the device. */
  counted: number
  /** The last attempt that an operator requeued; 0 = none. */
  requeuedAttempt: number
  charges: number
  resultOf: number
  epoch: number
  holder: number
  drivers: Driver[]
  net: Message[]
  owed: Owed | null
  /** The first violation by a step that is not visible in the state. */
  broken: string
  left: Faults
  cancels: number
}

/** A copy to change: messages and entries of an outbox are replaced, never changed, and are shared. */
export function copyOf(state: State): State {
  return {
    ...state,
    drivers: state.drivers.map((driver) => ({ ...driver, outbox: [...driver.outbox] })),
    net: [...state.net],
    left: { ...state.left },
  }
}

export type Step = [name: string, after: State]

export function ended(state: State): boolean {
  return state.status === 'completed' || state.status === 'failed' || state.status === 'cancelled'
}

export function moveTo(state: State, status: Status): void {
  if (ended(state) && status !== state.status) state.broken = `I1 ${state.status} became ${status}`
  state.status = status
}

/** Ends the open attempt without a result: the job is requeued, or fails at the maximum. */
export function countAttempt(state: State): void {
  state.attemptOpen = false
  state.counted++
  moveTo(state, state.counted >= MAX_ATTEMPTS ? 'failed' : 'pending')
}

export function start(faults: Faults): State {
  return {
    status: 'pending',
    attempt: 0,
    attemptDriver: NO_DRIVER,
    attemptOpen: false,
    counted: 0,
    requeuedAttempt: 0,
    charges: 0,
    resultOf: 0,
    epoch: 1,
    holder: 0,
    drivers: [
      { epoch: 1, running: 0, outbox: [] },
      { epoch: 0, running: 0, outbox: [] },
    ],
    net: [],
    owed: null,
    broken: '',
    left: { ...faults },
    cancels: 1,
  }
}
