const KIB = 1_024
const MIB = 1_024 * KIB

/** How amplitudes are stored. */
export interface AmplitudeFormat {
  precision: 'double' | 'single'
  isSingle: boolean
  bytes: number
  /**
   * Amplitudes of a block, as a power of two: 512 KiB, half of a level 2 cache, so that the source of a copy
   * fits too.
   */
  blockQubits: number
  /** Largest number of qubits: the addresses of the kernel have 32 bits. */
  maxQubits: number
}

/** The precisions of a state; the value of the option `precision` of a job. */
export const FORMATS = {
  double: { precision: 'double', isSingle: false, bytes: 16, blockQubits: 15, maxQubits: 27 },
  single: { precision: 'single', isSingle: true, bytes: 8, blockQubits: 16, maxQubits: 28 },
} as const satisfies Record<string, AmplitudeFormat>
export type Precision = keyof typeof FORMATS

/** `[2^qubits][re, im]`, flat. */
export type AmplitudeArray = Float64Array | Float32Array
/** Maximum number of threads: each has a workspace in the memory and a bit in a shared word. */
export const MAX_THREADS = 32

/** Layout of the kernel's memory, in bytes. Untouched pages take no physical memory. */
export const LAYOUT = {
  /** Words shared by the threads, see `CONTROL`. */
  control: 0,
  /** The current stage and its gates. */
  table: 64 * KIB,
  tableEnd: 2 * MIB,
  /** Random numbers of one portion of shots, and the basis states they become. */
  draws: 2 * MIB,
  indices: 3 * MIB,
  /** Cumulative probabilities, and the guide table to search them. */
  sums: 4 * MIB,
  guide: 24 * MIB,
  /** Workspace of each thread: a block, and tables. */
  workspaces: 32 * MIB,
  workspaceBytes: 640 * KIB,
  blockBytes: 512 * KIB,
  state: 64 * MIB,
} as const

/** Maximum number of shots drawn per call of the kernel. */
export const MAX_DRAWS_PER_CALL = 65_536

/** Indices of the shared words. The first two are read by `assembly/stage.ts`. */
export const CONTROL = {
  /** Nonzero: leave the stage. */
  abort: 0,
  nextBlock: 1,
  /** Number of the stage that is open, 0 for none, `LEAVE` to make helping threads leave the memory. */
  open: 2,
  /** Number of helping threads in the stage. */
  active: 3,
  /** A bit for each helping thread that has processed blocks of the circuit. */
  helpers: 4,
} as const

/** Value of `CONTROL.open` that makes helping threads leave the memory. */
export const LEAVE = -1
