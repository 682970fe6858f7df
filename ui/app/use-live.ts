import { useEffect, useRef } from 'preact/hooks'
import type { LiveListener } from '../api/live.ts'
import { useApp } from './app.ts'

/**
 * Subscribes to topics of the event stream while the component is mounted. Topics use the default names of
 * collections, such as `qpus/*`. Without a topic nothing is watched.
 */
export function useLive(topics: string | readonly string[], listener: LiveListener): void {
  const { live } = useApp()
  const newest = useRef(listener)
  newest.current = listener
  const wanted = typeof topics === 'string' ? [topics] : topics
  useEffect(() => live.watch(wanted, (event) => newest.current(event)), [live, wanted.join(' ')])
}
