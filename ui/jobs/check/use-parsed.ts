import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Answers, createParser, type Question, type Task } from './parser.ts'

/** URL path of the script of the thread; `scripts/build-ui.ts` puts it in. */
declare const CHECK_WORKER: string

/** A program is parsed after a pause in typing; the first time immediately. */
const TYPING_PAUSE_MS = 150

const parser = createParser((failed) => {
  const worker = new Worker(CHECK_WORKER, { type: 'module' })
  worker.onerror = failed
  return {
    ask<T extends Task>(question: Question<T>, found: (answer: Answers[T]) => void) {
      worker.onmessage = ({ data }: MessageEvent<Answers[T]>) => found(data)
      worker.postMessage(question)
    },
    end: () => worker.terminate(),
  }
})

/**
 * What a task finds in a program; `initial` until the first answer and without a question, else the newest
 * answer. It is asked again when one of `dependencies`, from which the question is made, has changed.
 */
export function useParsed<T extends Task, Initial>(
  question: Question<T> | undefined,
  initial: Initial,
  dependencies: readonly unknown[],
): Signal<Answers[T] | Initial> {
  const found = useSignal<Answers[T] | Initial>(initial)
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
