/** A time in which a qubit waits, ns. */
export interface IdleWindow {
  readonly qubit: string
  readonly from: number
  readonly to: number
}

/** A time in which an element plays a gate, ns. */
interface Played {
  readonly qubits: readonly string[]
  readonly from: number
  readonly to: number
}

/**
 * Collects when qubits wait, while a circuit is written: from the end of one of their operations to the start
 * of the next one or to a barrier, which divides a wait. A qubit that nothing has brought out of its first
 * state waits for nothing.
 */
export class IdleWindows {
  readonly #windows: IdleWindow[] = []
  readonly #gates: Played[] = []
  /** Since when each qubit that has been used waits, ns. */
  readonly #since = new Map<string, number>()

  /** A barrier at which a qubit waits no longer. */
  divide(qubit: string, at: number): void {
    if (this.#since.has(qubit)) this.play(qubit, at, at)
  }

  /** An operation of a qubit. */
  play(qubit: string, from: number, to: number): void {
    const since = this.#since.get(qubit)
    if (since !== undefined && since < from) this.#windows.push({ qubit, from: since, to: from })
    this.#since.set(qubit, to)
  }

  /** A reset, after which a qubit is in its first state. */
  reset(qubit: string): void {
    this.#since.delete(qubit)
  }

  /** A gate of two qubits. */
  playPair(qubits: readonly string[], from: number, to: number): void {
    for (const qubit of qubits) this.play(qubit, from, to)
    this.#gates.push({ qubits, from, to })
  }

  /**
   * The waits in the order of their ends, without the times in which a neighbor plays a gate with another
   * qubit: it was calibrated beside qubits at rest.
   */
  withoutGatesBeside(areNeighbors: (one: string, other: string) => boolean): IdleWindow[] {
    return this.#windows.flatMap((window) => {
      const { qubit } = window
      const beside = this.#gates.filter(({ qubits }) => qubits.some((each) => areNeighbors(qubit, each)))
      return beside.reduce<IdleWindow[]>(
        (rest, gate) => rest.flatMap((each) => outside(each, gate)),
        [window],
      )
    })
  }
}

/** The parts of a wait outside of a gate. */
function outside(window: IdleWindow, { from, to }: Played): IdleWindow[] {
  if (to <= window.from || from >= window.to) return [window]
  return [
    ...(from > window.from ? [{ ...window, to: from }] : []),
    ...(to < window.to ? [{ ...window, from: to }] : []),
  ]
}
