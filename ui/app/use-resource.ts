import { type Inputs, useEffect, useMemo, useRef } from 'preact/hooks'
import { createResource, type Resource } from '../api/resource.ts'
import { useApp } from './app.ts'

/**
 * A resource of one component: loads when it is mounted, whenever one of `deps` changes, and after the
 * connection was lost. Keeps the previous value meanwhile, and aborts its request when the component goes.
 */
export function useResource<T>(read: (signal: AbortSignal) => Promise<T>, deps: Inputs = []): Resource<T> {
  const { live } = useApp()
  const newest = useRef(read)
  newest.current = read
  const resource = useMemo(() => createResource((abort) => newest.current(abort)), [])
  useEffect(() => void resource.load(), deps)
  useEffect(() => resource.clear, [])
  useEffect(() => {
    const before = live.recoveries.peek()
    return live.recoveries.subscribe((count) => count > before && resource.loadSoon(0))
  }, [])
  return resource
}
