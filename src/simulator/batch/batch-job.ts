import type { Circuit } from '../../qasm/index.ts'
import type { CircuitRequest, JobLimits } from '../circuits/executions.ts'
import type { ExactValues } from '../exact/exact-sums.ts'
import type { Precision } from '../kernel/layout.ts'
import type { NoiseSource } from '../noise/noise-model.ts'
import type { ShotMemory } from '../readout/readout.ts'
import { ResultBudget } from '../tally/result-budget.ts'
import type { TimeLimit } from '../timing/time-budget.ts'

/** A job as plain data, so that it can be sent to every thread that runs circuits of it. */
export interface BatchJob {
  /** Name of the device, for messages. */
  backend: string
  circuits: readonly CircuitRequest[]
  limits: JobLimits
  /** Name of the simulation method, or `automatic`. */
  method: string
  /** Precision of the amplitudes; double when absent. */
  precision?: Precision
  /** An integer from 0 to 2^53 - 1. */
  seed: number
  /** What is recorded of each shot. */
  memory: ShotMemory
  /** Whether exact values are asked for in place of shots. */
  exact?: boolean
  /** Text from which each thread reads the noise model; absent for an exact simulation. */
  noise: NoiseSource | undefined
}

/** The budget of the results of a job. `shared`: the numbers of the thread that has created it. */
export function resultBudgetOf({ limits, memory }: BatchJob, shared?: SharedArrayBuffer): ResultBudget {
  const mayOmitCounts = memory === 'packed_bits'
  return new ResultBudget(limits.resultLength, { mayOmitCounts, ...(shared && { shared }) })
}

/** What a running job may use. */
export interface RunControl extends TimeLimit {
  /** Reports which part of the job runs now. */
  phase(name: string): void
  /** Receives each result when its execution has ended; `index`: its position among all results. */
  ended?(index: number, result: ExecutionResult): void
}

/** What one execution of a job produced. */
export interface ExecutionResult {
  circuitIndex: number
  parameterSet: number
  shots: number
  /** Sizes of the circuit and of its registers. */
  circuit: Pick<Circuit, 'qubits' | 'clbits' | 'qregs' | 'cregs'>
  /** In a job of exact values: what was asked for. */
  exact?: ExactValues
  /** Shots by bit string; absent when the memory holds readout signals, and when they are omitted. */
  counts?: Record<string, number>
  memory?: unknown
  /**
   * Classical bits that no measurement writes; empty for a program with feedback, where outcomes decide that.
   */
  unmeasured: number[]
  /** How the outcomes were computed: method, time by phase and the metadata of the method. */
  provenance: Record<string, unknown>
  warnings: string[]
  /** Time from planning to result, s. */
  seconds: number
}
