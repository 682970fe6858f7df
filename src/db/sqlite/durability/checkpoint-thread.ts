import { AppError, defineWorker, RequestThread } from '../../../base/index.ts'
import { appErrorOf, READER_PRAGMAS } from '../connection.ts'

/** What one pass over the log has done. */
interface Checkpoint {
  /** Frames that the log had when the pass began, and how many of them are in the database now. */
  log: number
  checkpointed: number
}

/** A thread with its own connection, which copies the log into the database. */
export interface CheckpointThread {
  /**
   * Copies what no reader needs in the log, without waiting for any of them.
   * @throws AppError when the disk fails; Error when the thread ends.
   */
  checkpoint(): Promise<Checkpoint>
  /** Closes the connection and ends the thread, after the pass that runs. */
  close(): Promise<void>
}

/** The first request opens the database; each later one gets one response. */
export type CheckpointRequest =
  | { kind: 'open'; path: string; pragmas: typeof READER_PRAGMAS }
  | { kind: 'checkpoint' }
  | { kind: 'close' }
export type CheckpointResponse =
  | ({ kind: 'done' } & Checkpoint)
  | { kind: 'failure'; message: string; code: string }

export const checkpointWorker = defineWorker<CheckpointRequest, CheckpointResponse>(
  'src/db/sqlite/durability/checkpoint-worker.ts',
)

/** Starts with the first checkpoint, and again if it has ended. It does not keep the process alive. */
export function createCheckpointThread(path: string): CheckpointThread {
  const thread = new RequestThread(checkpointWorker, {
    task: 'makes checkpoints',
    opening: { kind: 'open', path, pragmas: READER_PRAGMAS },
  })
  let isStarted = false
  return {
    async checkpoint() {
      isStarted = true
      const response = await thread.request({ kind: 'checkpoint' })
      if (response.kind === 'failure') throw appErrorOf(path, response) ?? new Error(response.message)
      return response
    },
    async close() {
      // A thread that has failed holds no connection.
      if (isStarted) await thread.request({ kind: 'close' }).catch(() => undefined)
      thread.stop(new AppError('unavailable', 'The database is closed; the service is stopping'))
    },
  }
}
