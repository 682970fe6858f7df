import { COUNTS } from '../../admission/limits.ts'
import { Places } from '../../admission/places.ts'

/** Requests of one connection that may arrive together; browsers and SDKs send one after the other. */
export const MAX_PIPELINED = COUNTS.pipelined.bounds.account

/** The end of a turn is awaited from this request on; awaiting it costs a fiftieth of a short request. */
const AWAITED_FROM = MAX_PIPELINED / 2

/**
 * Bounds the requests that are begun in one turn of the event loop. The runtime begins every request of a
 * packet before any other connection has its turn: 20,000 of them took 1.8 s, even though nearly all were
 * refused by the request limits.
 */
export class PipeliningLimit {
  #begun = 0
  #connections = new Places(COUNTS.pipelined)

  /**
   * Counts one request; false if its connection, which `connection` names, has sent too many in this turn.
   * Connections are counted separately only in a turn with many requests; a few earlier requests may count
   * as part of it.
   */
  allows(connection: () => string): boolean {
    this.#begun += 1
    if (this.#begun === AWAITED_FROM) setImmediate(() => this.#endTurn())
    return this.#begun <= MAX_PIPELINED || this.#connections.takeFree(connection(), 1) !== undefined
  }

  #endTurn(): void {
    this.#begun = 0
    this.#connections = new Places(COUNTS.pipelined)
  }
}
