import fc from 'fast-check'

export type OperatorAction = 'hold' | 'release' | 'moveToFront' | 'requeue' | 'drain'
export type Outcome = 'completed' | 'user' | 'device'

/** A step that may happen; `at` chooses among the jobs, drivers or QPUs to which it can happen. */
export type Step =
  /** `at` chooses the target, one of the QPUs or any of them. */
  | { kind: 'submit'; at: number; qubits: number }
  | { kind: 'cancel' | 'deliver' | 'heartbeat' | 'detach' | 'crash'; at: number }
  /** Our own driver sends a hello when it attaches; not every other driver does. */
  | { kind: 'attach'; at: number; sendsHello: boolean }
  | { kind: 'dispatch'; isFull: boolean }
  | { kind: 'finish'; at: number; outcome: Outcome }
  /** `hasOutbox`: a driver without an outbox cannot report its results. */
  | { kind: 'hello'; at: number; hasOutbox: boolean }
  /** `isAckLost`: the driver retains the result and sends it again later. */
  | { kind: 'result'; at: number; isAckLost: boolean }
  | { kind: 'foreign'; at: number; job: number }
  | { kind: 'advance'; seconds: number }
  | { kind: 'restart' }
  /** An operator's action; `at` chooses a job, or a QPU to start or end draining. */
  | { kind: 'operate'; act: OperatorAction; at: number }

/** Qubits of the first QPU; the second is not described and takes any number. */
export const NARROW_QPU = 5

const at = fc.nat({ max: 20 })
/** True one time in five. */
const oneInFive = fc.nat({ max: 4 }).map((number) => number === 0)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    // One less than the narrow QPU has, exactly as many, and one more.
    arbitrary: fc.record({
      kind: fc.constant('submit'),
      at,
      qubits: fc.constantFrom(NARROW_QPU - 1, NARROW_QPU, NARROW_QPU + 1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('attach'), at, sendsHello: oneInFive.map((not) => !not) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('deliver'), at }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('cancel', 'heartbeat', 'detach', 'crash'), at }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('hello'), at, hasOutbox: fc.boolean() }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('dispatch'), isFull: oneInFive }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('finish'),
      at,
      outcome: fc.constantFrom('completed', 'completed', 'user', 'device'),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('result'), at, isAckLost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('foreign'), at, job: at }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('advance'), seconds: fc.constantFrom(0.01, 1, 12, 25) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('operate'),
      act: fc.constantFrom<OperatorAction[]>('hold', 'release', 'moveToFront', 'requeue', 'requeue', 'drain'),
      at,
    }),
  },
)
/** The history of a service, as a list of steps. */
export const steps = fc.array(step, { minLength: 40, maxLength: 120, size: 'max' })
