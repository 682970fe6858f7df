import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { App } from '../../app/app.ts'
import { followLog } from './follow.ts'
import type { LogLine } from './model.ts'

const RETRY_MS = 3_000

/** Follows the log while `isOn`; reconnects after the server has ended the stream. */
export function useTail(
  { auth }: App,
  isOn: boolean,
  filter: Record<string, string>,
  onLine: (line: LogLine) => void,
): { problem: Signal<string> } {
  const problem = useSignal('')
  const newest = useRef(onLine)
  newest.current = onLine
  const search = new URLSearchParams(filter).toString()
  useEffect(() => {
    if (!isOn) {
      problem.value = ''
      return undefined
    }
    const end = new AbortController()
    const follow = async () => {
      while (!end.signal.aborted) {
        try {
          const token = auth.current.peek()?.token ?? ''
          await followLog(
            `/api/op/logs/tail?${search}`,
            token,
            {
              onOpen() {
                problem.value = ''
              },
              onLine(line) {
                problem.value = ''
                newest.current(line)
              },
              onDropped(lines) {
                problem.value = `${lines} lines were left out, because more were logged than this page could read.`
              },
            },
            end.signal,
          )
        } catch {
          if (!end.signal.aborted) problem.value = 'The log cannot be followed at the moment; trying again.'
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    void follow()
    return () => end.abort()
  }, [isOn, search])
  return { problem }
}
