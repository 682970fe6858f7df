import { useMemo } from 'preact/hooks'
import { useApp } from './app.ts'
import type { Router } from './route.ts'

/** The query string of the address as the state of a page. */
export interface Query {
  /** A parameter; empty when absent. Components that read it are rendered again when it changes. */
  get(name: string): string
  /** Every value of a parameter that may occur several times. */
  all(name: string): string[]
  /**
   * Changes parameters: an empty value removes one, a list sets it several times. By default the history gets
   * no entry, since most changes are filters.
   */
  set(changes: QueryChanges, options?: { push?: boolean }): void
}

type QueryValue = string | number | boolean | readonly string[] | null | undefined
type QueryChanges = Readonly<Record<string, QueryValue>>

/** Reads and writes the query string of the address. */
export function useQuery(): Query {
  const { router } = useApp()
  return useMemo(() => createQuery(router), [router])
}

/** The query of a router. */
export function createQuery(router: Pick<Router, 'path' | 'search' | 'go'>): Query {
  return {
    get: (name) => router.search.value.get(name) ?? '',
    all: (name) => router.search.value.getAll(name),
    set(changes, { push = false } = {}) {
      const text = changeQuery(router.search.peek(), changes)
      const before = router.search.peek().toString()
      if (text === before) return
      router.go(router.path.peek() + (text && `?${text}`), { replace: !push, keepScroll: true })
    },
  }
}

/** A query string with some of its parameters changed. */
export function changeQuery(search: URLSearchParams, changes: QueryChanges): string {
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name)
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '' && one !== false) next.append(name, String(one))
    }
  }
  return next.toString()
}
