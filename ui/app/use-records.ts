import type { GenericSchema } from 'valibot'
import type { Resource } from '../api/resource.ts'
import { useApp } from './app.ts'
import { useLive } from './use-live.ts'
import { useResource } from './use-resource.ts'

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
