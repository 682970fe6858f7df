import { type Inputs, useEffect, useMemo, useRef } from 'preact/hooks'
import type { GenericSchema } from 'valibot'
import type { Live, LiveListener } from '../api/live.ts'
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

/** Changes often come in groups. */
const SPACING_MS = 1_000

/**
 * Records of a collection by its default name, kept current by its events. `query`: parameters of the list
 * route.
 */
export function useRecords<T>(
  collection: string,
  query: Readonly<Record<string, string>>,
  schema: GenericSchema<unknown, T>,
): Resource<T> {
  const { api, named } = useApp()
  const search = new URLSearchParams(query).toString()
  const records = useResource(
    (abort) => api.get(`/api/collections/${named(collection)}/records?${search}`, schema, abort),
    [collection, search],
  )
  useLive(`${collection}/*`, () => records.loadSoon(SPACING_MS))
  return records
}

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
