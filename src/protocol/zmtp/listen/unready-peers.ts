import type { Socket } from 'node:net'

/**
 * The connections of one port that have not completed the handshake: any client that reaches the port can
 * open them. When there is no place for another one, the oldest connection of the address with most of them
 * ends, so that one address cannot keep others out.
 */
export class UnreadyPeers {
  readonly #max: number
  /** Oldest first. */
  readonly #peers = new Map<Socket, string>()

  constructor(max: number) {
    this.#max = max
  }

  /** Adds a connection; returns the one that has to end for it, if there is no place. */
  add(socket: Socket, address: string): Socket | undefined {
    this.#peers.set(socket, address)
    return this.#peers.size > this.#max ? this.#oldestOfBusiest() : undefined
  }

  /** The connection has ended or is ready. */
  remove(socket: Socket): void {
    this.#peers.delete(socket)
  }

  #oldestOfBusiest(): Socket | undefined {
    const counts = new Map<string, number>()
    for (const address of this.#peers.values()) counts.set(address, (counts.get(address) ?? 0) + 1)
    const most = Math.max(...counts.values())
    for (const [socket, address] of this.#peers) if (counts.get(address) === most) return socket
    return undefined
  }
}
