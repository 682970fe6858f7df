const KIB = 1_024
const MIB = 1_024 * KIB

/** Amplitudes of a block, as a power of two: 512 KiB, which half of a second cache holds beside a copy's source. */
export const BLOCK_QUBITS = 15
/** Threads that have room in the memory, and a bit in a shared word. */
export const MAX_THREADS = 32

/** Where things lie in the memory of the kernel, in bytes. Pages that nobody touches take no memory. */
export const LAYOUT = {
  amplitudeBytes: 16,
  /** Words that threads share, see `CONTROL`. */
  control: 0,
  /** The stage at hand and its gates. */
  table: 64 * KIB,
  tableEnd: 2 * MIB,
  /** Random numbers of one portion of shots, and the basis states they become. */
  draws: 2 * MIB,
  indices: 3 * MIB,
  /** Running sums of probabilities, and where in them to look for a draw. */
  sums: 4 * MIB,
  guide: 24 * MIB,
  /** Of each thread: a block, and room for tables. */
  workspaces: 32 * MIB,
  workspaceBytes: 640 * KIB,
  blockBytes: 512 * KIB,
  state: 64 * MIB,
} as const

/** Shots drawn at a time. */
export const MAX_DRAWS_PER_CALL = 65_536

/** Indices of the shared words. The first two are read by `assembly/stage.ts`. */
export const CONTROL = {
  /** Not 0: leave the stage. */
  abort: 0,
  nextBlock: 1,
  /** Number of the stage that may be joined, 0 when there is none, `LEAVE` when helping threads are to go. */
  open: 2,
  /** Helping threads that are at the stage. */
  active: 3,
  /** A bit for each helping thread that took part in the circuit. */
  helpers: 4,
} as const

/** Ends the help in a memory: see `CONTROL.open`. */
export const LEAVE = -1
