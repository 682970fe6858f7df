import { type Inputs, useEffect, useMemo, useRef } from 'preact/hooks'
import type { Live } from '../api/live.ts'
import { createResource, type Resource } from '../api/resource.ts'
import { useApp } from './app.ts'

/**
 * A resource of one component: loads as soon as the topics that the page watches are confirmed, so that it
 * misses no change, whenever one of `deps` changes, and after the connection was lost. Keeps the previous
 * value meanwhile, and aborts its request when the component goes.
 */
export function useResource<T>(read: (signal: AbortSignal) => Promise<T>, deps: Inputs = []): Resource<T> {
  const { live } = useApp()
  const newest = useRef(read)
  newest.current = read
  const resource = useMemo(() => createResource((abort) => newest.current(abort)), [])
  useLoad(live, resource, deps)
  useEffect(() => resource.clear, [])
  return resource
}

/** Loads when everything is subscribed, when one of `deps` has changed, and after each interruption. */
export function useLoad(
  live: Live,
  resource: Pick<Resource<unknown>, 'load' | 'loadSoon'>,
  deps: Inputs = [],
): void {
  const newest = useRef(resource)
  newest.current = resource
  const isDue = useRef(false)
  const current = useRef(deps)
  current.current = deps
  const loadedFor = useRef<Inputs>(undefined)
  const load = () => {
    loadedFor.current = current.current
    void newest.current.load()
  }
  useEffect(() => {
    // The first load may come between the change and this effect.
    if (isDue.current && deps.some((each, at) => each !== loadedFor.current?.[at])) load()
  }, deps)
  useEffect(() => {
    const begin = () => {
      isDue.current = true
      load()
    }
    const cancel = live.whenCurrent(begin)
    const stop = live.recoveries.subscribe(() => isDue.current && newest.current.loadSoon(0))
    return () => {
      cancel()
      stop()
      isDue.current = false
    }
  }, [])
}
