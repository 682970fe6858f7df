/** What a program may use. Every limit is checked before the memory or time it guards is spent. */
export interface Limits {
  /** Characters of program text. */
  textLength: number
  /**
   * Tokens of one statement of the top level, with its blocks and without plain gate calls, which are stored
   * as numbers. Its tree takes about 250 bytes per token.
   */
  tokens: number
  /** Names declared at the top level; what is known of each is kept until the end of the program. */
  names: number
  /** Depth of nested expressions, blocks and types. */
  nesting: number
  /** Operations after expansion, and statements executed. */
  operations: number
  /** Loop iterations in all. */
  iterations: number
  /** Nested calls of gates and subroutines. */
  calls: number
  qubits: number
  /** Classical bits in all registers. */
  bits: number
  /** Elements of one array. */
  elements: number
  /** Whether a whole power is the gate so many times, as hardware plays it, and not one matrix. */
  repeatsPowers?: boolean | undefined
  /** Length of one `dt`, s; 1 ns when absent. */
  dt?: number | undefined
  /** Called every few microseconds to milliseconds of work; an error that it throws ends the work. */
  checkpoint?: (() => void) | undefined
}

/** The limits that apply when a caller names none. */
export const DEFAULT_LIMITS: Limits = {
  textLength: 10 * 1024 * 1024,
  tokens: 400_000,
  names: 65_536,
  nesting: 200,
  operations: 5_000_000,
  iterations: 1_000_000,
  calls: 100,
  qubits: 65_536,
  bits: 65_536,
  elements: 1_000_000,
}

/** Limits with defaults for those not named. */
export function fullLimits(limits: Partial<Limits> | undefined): Limits {
  return { ...DEFAULT_LIMITS, ...limits }
}
