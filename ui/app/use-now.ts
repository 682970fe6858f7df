import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** The current time (Unix ms), renewed at this interval while the component is mounted. */
export function useNow(everyMs: number): Signal<number> {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
