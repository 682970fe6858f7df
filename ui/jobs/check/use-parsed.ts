import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { createParser, type Question, type Task, type Tasks } from './parser.ts'

/** URL path of the script of the thread; `scripts/build-ui.ts` puts it in. */
declare const CHECK_WORKER: string

/** A program is parsed after a pause in typing; the first time at once. */
const TYPING_PAUSE_MS = 150

const parser = createParser((found, failed) => {
  const worker = new Worker(CHECK_WORKER, { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<unknown>) => found(data)
  worker.onerror = failed
  return { ask: (question) => worker.postMessage(question), end: () => worker.terminate() }
})

/**
 * What a task finds in a program; `initial` until the first answer and without a question, else the newest
 * answer. It is asked again when one of `dependencies`, from which the question is made, has changed.
 */
export function useParsed<T extends Task, Initial>(
  question: Question<T> | undefined,
  initial: Initial,
  dependencies: readonly unknown[],
): Signal<ReturnType<Tasks[T]> | Initial> {
  const found = useSignal<ReturnType<Tasks[T]> | Initial>(initial)
  const asker = useRef({}).current
  useEffect(() => () => parser.leave(asker), [])
  useEffect(() => {
    if (!question) {
      found.value = initial
      return undefined
    }
    let isCurrent = true
    const ask = () =>
      parser.ask(asker, question, (answer) => {
        if (isCurrent) found.value = answer
      })
    const timer = setTimeout(ask, found.peek() === initial ? 0 : TYPING_PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, dependencies)
  return found
}
