import { type Signal, signal } from '@preact/signals'
import * as v from 'valibot'
import type { App } from '../../app/app.ts'

const users = v.object({
  items: v.array(
    v.object({ id: v.string(), email: v.optional(v.string(), ''), username: v.optional(v.string(), '') }),
  ),
})
const MAX_AT_ONCE = 50

/** Names of the owners of jobs, which only superusers read. */
interface Owners {
  name(id: string): string
  /** Loads the names that are missing. */
  need(ids: readonly string[]): void
}

/** Creates the names of owners; an id stands for a name that is not known. */
export function createOwners({ api, named }: Pick<App, 'api' | 'named'>): Owners {
  const names: Signal<ReadonlyMap<string, string>> = signal(new Map())
  const asked = new Set<string>()
  return {
    name: (id) => names.value.get(id) || id,
    need(ids) {
      const missing = [...new Set(ids)].filter((id) => id && !asked.has(id)).slice(0, MAX_AT_ONCE)
      if (missing.length === 0) return
      for (const id of missing) asked.add(id)
      const filter = encodeURIComponent(missing.map((id) => `id='${id}'`).join('||'))
      const path = `/api/collections/${named('users')}/records?perPage=${MAX_AT_ONCE}&skipTotal=1&fields=id,email,username&filter=${filter}`
      api
        .get(path, users)
        .then(({ items }) => {
          const found = items.map(({ id, email, username }) => [id, username || email] as const)
          names.value = new Map([...names.peek(), ...found])
        })
        .catch(() => {
          for (const id of missing) asked.delete(id)
        })
    },
  }
}
