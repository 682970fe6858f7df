import type { Schedule } from '../pulse/schedule.ts'

/** Where the readings of a qubit lie. */
export interface ReadingCloud {
  readonly middles: readonly (readonly [re: number, im: number])[]
  readonly sigma: number
  /** Least distance of another level from 0, in sigma. */
  readonly distance: number
}

/** How shots begin with a reading, which has been judged. */
export interface HeraldStart {
  /** What each shot plays before its schedule; its acquisitions are those of the qubits, in order. */
  readonly head: Schedule
  readonly qubits: readonly string[]
  readonly ringDownNs: number
  readonly clouds: readonly ReadingCloud[]
  /** Share of the shots that are kept. */
  readonly kept: number
  /** Whether level 2 may be populated: what shots leave then changes the share that is kept. */
  readonly visits2: boolean
}

/**
 * What a run knows of shots that begin with a reading. The key of a start has all that it follows from: the
 * pulses and the windows that it plays, and the wait by which it is judged.
 */
export interface Heralds {
  /** A start that was judged a short time ago, undefined in it if it was refused. */
  recall(key: string): { readonly start: HeraldStart | undefined } | undefined
  keep(key: string, start: HeraldStart | undefined): void
  /** For a start whose readings are no longer where they were. */
  forget(key: string): void
  /**
   * Notes of a qubit the upper limit of the share of its kept shots that are excited, or why its shots do not
   * begin with a reading.
   */
  note(qubit: string, about: { readonly excited: number } | { readonly refusal: string }): void
}
