import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution } from '../jobs.ts'
import type { Ideal } from './ideal-distribution.ts'

/** URL path of the script of the thread, which is loaded on demand; `scripts/build-ui.ts` puts it in. */
declare const IDEAL_WORKER: string

/**
 * The ideal distributions of executions, calculated in a thread of their own; undefined until then and for an
 * empty list. `key` changes with the executions.
 */
export function useIdeal(
  executions: readonly Execution[],
  key: string,
): Signal<readonly Ideal[] | undefined> {
  const found = useSignal<readonly Ideal[] | undefined>(undefined)
  useEffect(() => {
    found.value = undefined
    if (executions.length === 0) return undefined
    const worker = new Worker(IDEAL_WORKER, { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<readonly Ideal[]>) => {
      found.value = data
      worker.terminate()
    }
    worker.onerror = () => {
      found.value = executions.map(() => ({ unknown: 'the calculation failed' }))
    }
    worker.postMessage(executions)
    return () => worker.terminate()
  }, [key])
  return found
}
