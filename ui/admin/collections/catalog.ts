import { type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Api } from '../../api/api.ts'
import { createResource, type Resource } from '../../api/resource.ts'
import { type Collection, collectionPage, recordPage } from './model.ts'

/** The collections of the server and the numbers of their records. */
export interface Catalog {
  collections: Resource<readonly Collection[]>
  /** By name of the collection; absent until it is known, or when counting takes the server too long. */
  counts: Signal<Readonly<Record<string, number>>>
  /** Counts the records of a collection again. */
  recount(name: string): Promise<void>
  /** Loads the collections, then counts all of them. */
  load(): Promise<void>
}

const Context = createContext<Catalog | undefined>(undefined)
/** Provides the catalog to the pages. */
export const CatalogProvider = Context.Provider

/** The catalog; throws outside of `CatalogProvider`. */
export function useCatalog(): Catalog {
  const catalog = useContext(Context)
  if (!catalog) throw new TypeError('useCatalog() outside of CatalogProvider')
  return catalog
}

/** Creates the catalog; it sends no request before `load`. */
export function createCatalog(api: Api): Catalog {
  const counts = signal<Readonly<Record<string, number>>>({})
  const collections = createResource<readonly Collection[]>(async (abort) => {
    const { items } = await api.get('/api/collections?perPage=200', collectionPage, abort)
    // The names of system collections begin with _, which says nothing about their place.
    const key = ({ name }: Collection) => name.replace(/^_/, '').toLowerCase()
    return items.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
  })
  const recount = async (name: string) => {
    try {
      const count = await countRecords(api, name)
      counts.value = { ...counts.peek(), [name]: count }
    } catch {
      // The list shows no number then.
    }
  }
  return {
    collections,
    counts,
    recount,
    async load() {
      await collections.load()
      await Promise.all((collections.value.peek() ?? []).map(({ name }) => recount(name)))
    },
  }
}

/** The route of the records of a collection, or of one of them. */
export function recordsPath(collection: string, id?: string): string {
  const path = `/api/collections/${encodeURIComponent(collection)}/records`
  return id === undefined ? path : `${path}/${encodeURIComponent(id)}`
}

/** Number of the records that match a filter. */
export async function countRecords(
  api: Api,
  collection: string,
  filter = '',
  abort?: AbortSignal,
): Promise<number> {
  const query = new URLSearchParams({ perPage: '1', fields: 'id', ...(filter && { filter }) })
  return (await api.get(`${recordsPath(collection)}?${query}`, recordPage, abort)).totalItems
}

/** The page of a collection, with a filter. */
export function browserHref(collection: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `/_/collections/${encodeURIComponent(collection)}${search && `?${search}`}`
}
