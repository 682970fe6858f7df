import type { MessagePort } from 'node:worker_threads'

/** A file that runs in a thread of its own, with the types of the messages to it and back. */
export interface WorkerEntry<Request, Response> {
  /** Path of the file, relative to the repository. */
  readonly file: `src/${string}.ts`
  /** Exist for the compiler only: no value is ever stored here. */
  readonly request?: Request
  readonly response?: Response
}

type RequestOf<Entry> = Entry extends WorkerEntry<infer Request, unknown> ? Request : never
type ResponseOf<Entry> = Entry extends WorkerEntry<unknown, infer Response> ? Response : never

/** What moves to another thread. */
type Moved = ArrayBuffer | MessagePort

/** A thread that was started. It never keeps the process alive. */
export interface RunningWorker<Request> {
  /**
   * Sends a request; requests arrive in order. The memory and the ports of `moved` move to the thread
   * uncopied.
   */
  send(request: Request, moved?: readonly Moved[]): void
  /** Ends the thread immediately; `onEnd` is not called then. */
  terminate(): void
}

interface WorkerListeners<Response> {
  onResponse?: (response: Response) => void
  /** Called once when the thread exits or fails, with its error if there is one. */
  onEnd?: (error: Error | undefined) => void
}

/**
 * Declares an entry point. The layer that owns the file declares it; `scripts/worker-entries.ts` collects all
 * declarations from the source for the build, so `file` has to be a string literal.
 */
export function defineWorker<Request, Response>(
  file: WorkerEntry<Request, Response>['file'],
): WorkerEntry<Request, Response> {
  return { file }
}

/** Starts a thread that runs the file of `entry`. */
export function startWorker<Request, Response>(
  entry: WorkerEntry<Request, Response>,
  { onResponse, onEnd }: WorkerListeners<Response> = {},
): RunningWorker<Request> {
  const worker = new Worker(locationOf(entry.file), { ref: false } as WorkerOptions)
  let isRunning = true
  const end = (error: Error | undefined): void => {
    if (!isRunning) return
    isRunning = false
    worker.terminate()
    onEnd?.(error)
  }
  worker.addEventListener('message', ({ data }: MessageEvent<Response>) => {
    if (isRunning) onResponse?.(data)
  })
  worker.addEventListener('error', ({ message }) => end(new Error(message)))
  worker.addEventListener('close', () => end(undefined))
  return {
    send: (request, moved = []) => worker.postMessage(request, [...moved] as Transferable[]),
    terminate: () => {
      isRunning = false
      worker.terminate()
    },
  }
}

/** The executable contains each entry point under its path below `src`, with the ending `.js`. */
function locationOf(file: string): string {
  if (Bun.main.startsWith('/$bunfs/')) return file.replace(/^src\/(.*)\.ts$/, '/$bunfs/root/$1.js')
  return new URL(`../../../${file}`, import.meta.url).href
}

/** The memory to move with a message: that of bytes which do not share it with others. */
export function wholeBuffer({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

declare const self: Worker

/**
 * Handles the requests of the thread in which it is called; each worker file calls it once. `Entry` is the
 * type of its declaration, so that both sides agree on the messages. The memory that a response moves is not
 * copied.
 */
export function serveWorker<Entry extends WorkerEntry<unknown, unknown>>(
  handle: (
    request: RequestOf<Entry>,
    respond: (response: ResponseOf<Entry>, moved?: readonly ArrayBuffer[]) => void,
  ) => void,
): void {
  const respond = (response: ResponseOf<Entry>, moved: readonly ArrayBuffer[] = []): void =>
    self.postMessage(response, [...moved])
  self.onmessage = ({ data }: MessageEvent<RequestOf<Entry>>) => handle(data, respond)
}
