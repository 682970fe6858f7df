/** One output that holds a current. Currents in A. */
export interface CurrentOutput {
  /** Smallest change of the current, A; the currents of the output are multiples of it. */
  readonly resolution: number
  /** The lowest and the highest current of the output, A. */
  readonly range: readonly [lowest: number, highest: number]
  /**
   * Reads the current that the output holds. Changes nothing.
   * @throws OutputError when it cannot be read, or when the output is not set up as expected.
   */
  read(): Promise<number>
  /**
   * Sets the current nearest to `amps` and resolves with the current that the output then reports.
   * @throws OutputError when the output cannot be reached or refuses.
   */
  write(amps: number): Promise<number>
}

/** An output that cannot be used; the message says why, for people. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}
