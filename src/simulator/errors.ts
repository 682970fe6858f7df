import { QasmError } from '../qasm/index.ts'

export interface SimulationErrorDetails {
  /** A stable code for clients, such as `too_many_qubits`. */
  code: string
  /** Index of the circuit in its job, counted from 0. */
  circuitIndex?: number
  /** Whether the simulator spent time on the circuit; false by default. */
  executed?: boolean
  cause?: unknown
}

/** A job that the simulator cannot run. The message is meant for the user who submitted it. */
export class SimulationError extends Error {
  readonly code: string
  readonly circuitIndex: number | undefined
  readonly executed: boolean

  constructor(message: string, details: SimulationErrorDetails) {
    super(message, { cause: details.cause })
    this.name = 'SimulationError'
    this.code = details.code
    this.circuitIndex = details.circuitIndex
    this.executed = details.executed ?? false
  }

  /** The constructor's details without the cause, as plain data for another thread. */
  get details(): SimulationErrorDetails {
    return {
      code: this.code,
      executed: this.executed,
      ...(this.circuitIndex !== undefined && { circuitIndex: this.circuitIndex }),
    }
  }
}

/** A method found out while it ran a circuit that it cannot run it; another one may. */
export class UnsuitableMethodError extends Error {
  override readonly name = 'UnsuitableMethodError'
  /** A stable code for clients, and the reason as in a refusal. */
  readonly refusal: { code: string; reason: string }

  constructor(refusal: { code: string; reason: string }) {
    super(refusal.reason)
    this.refusal = refusal
  }
}

/** A thread of the simulator ended while it ran circuits: a fault of the machine, not of the job. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError'

  constructor() {
    super('a thread of the simulator ended')
  }
}

/**
 * Adds circuit, line and column to an error in the program of circuit `circuitIndex`; returns other errors
 * unchanged.
 */
export function circuitErrorOf(error: unknown, circuitIndex: number, executed = false): unknown {
  if (!(error instanceof QasmError)) return error
  const where = error.line > 0 ? `, line ${error.line}, column ${error.column}` : ''
  return new SimulationError(`circuit ${circuitIndex}${where}: ${error.message}`, {
    code: error.code,
    circuitIndex,
    executed,
    cause: error,
  })
}
