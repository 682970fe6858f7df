import type { Socket } from 'bun'

/**
 * An event stream over a bare socket: thousands of them fit into one process, which `fetch` would not open.
 */
export interface RawStream {
  clientId(): string | undefined
  /** Events received, the first one included. */
  readonly events: number
  /** The last part of the received text. */
  readonly tail: string
  readonly isOver: boolean
  close(): void
}

const TAIL = 4_096
/** Begins the data of an event; inside JSON a line break is never bare. */
const DATA = '\ndata:'

/** Opens the stream of changes of a server at `url` (plain HTTP). */
export async function openRawStream(url: string): Promise<RawStream> {
  const { hostname, port } = new URL(url)
  const state = { id: '', events: 0, tail: '', isOver: false }
  const socket: Socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        const text = chunk.toString('latin1')
        // Possibly the beginning of a mark that the next chunk completes.
        state.events += (state.tail.slice(1 - DATA.length) + text).split(DATA).length - 1
        state.tail = (state.tail + text).slice(-TAIL)
        state.id ||= /"clientId":"(\w+)"/.exec(state.tail)?.[1] ?? ''
      },
      close() {
        state.isOver = true
      },
    },
  })
  socket.write(`GET /api/realtime HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  return {
    clientId: () => state.id || undefined,
    get events() {
      return state.events
    },
    get tail() {
      return state.tail
    },
    get isOver() {
      return state.isOver
    },
    close: () => socket.end(),
  }
}
