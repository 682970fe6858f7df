import { signal } from '@preact/signals'
import { asApiError } from '../../../api/api.ts'

/** What became of one job of a bulk action. */
export interface Outcome {
  id: string
  isDone: boolean
  text: string
}

/** A bulk action while it runs and after it. */
export interface BulkRun {
  total: number
  outcomes: { value: readonly Outcome[] }
  isRunning: { value: boolean }
  /** Does not begin with further jobs; requests that were sent are awaited. */
  stop(): void
  /** Resolves when nothing runs anymore. */
  ended: Promise<void>
}

/** Requests at the same time; the server limits those of a user. */
const AT_ONCE = 4

/** Runs an action on each job. A failure of one is its outcome and does not affect the others. */
export function runBulk(ids: readonly string[], action: (id: string) => Promise<string>): BulkRun {
  const outcomes = signal<readonly Outcome[]>([])
  const isRunning = signal(true)
  const rest = [...ids]
  const work = async () => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift()) {
      const outcome = await outcomeOf(id, action)
      outcomes.value = [...outcomes.peek(), outcome]
    }
  }
  const ended = Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => {
    isRunning.value = false
  })
  return {
    total: ids.length,
    outcomes,
    isRunning,
    stop: () => void rest.splice(0),
    ended,
  }
}

async function outcomeOf(id: string, action: (id: string) => Promise<string>): Promise<Outcome> {
  try {
    return { id, isDone: true, text: await action(id) }
  } catch (failure) {
    return { id, isDone: false, text: asApiError(failure).message }
  }
}
