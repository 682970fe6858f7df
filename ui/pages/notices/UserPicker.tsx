import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import * as v from 'valibot'
import { text } from '../../api/model/fields.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'

const users = v.object({ items: v.array(v.object({ id: v.string(), email: text, username: text })) })
const OFFERED = 6

interface UserPickerProps {
  /** Whether only the chosen users receive it. */
  some: boolean
  /** Ids of the chosen users. */
  chosen: readonly string[]
  error: string | undefined
  set: (changes: { some?: boolean; target_users?: string[] }) => void
}

/** Who receives a notice: everybody or chosen users, who are found by their address or user name. */
export function UserPicker({ some, chosen, error, set }: UserPickerProps) {
  const { api, named } = useApp()
  const id = useId()
  const search = useSignal('')
  const names = useSignal<ReadonlyMap<string, string>>(new Map())
  const found = useResource(
    async (abort) => {
      const filter = filterFor(search.peek(), search.peek() ? [] : chosen)
      const query = new URLSearchParams({ perPage: String(Math.max(OFFERED, chosen.length)), filter })
      return (await api.get(`/api/collections/${named('users')}/records?${query}`, users, abort)).items
    },
    [search.value],
  )
  const offered = found.value.value ?? []
  useEffect(() => {
    const known = offered.map((user): [string, string] => [user.id, user.email || user.username || user.id])
    names.value = new Map([...names.peek(), ...known])
  }, [offered])
  const choose = (ids: string[]) => set({ target_users: ids })
  return (
    <fieldset class="choice picker">
      <legend>Recipients</legend>
      <label>
        <input type="radio" name="audience" checked={!some} onChange={() => set({ some: false })} />
        Everybody
      </label>
      <label>
        <input type="radio" name="audience" checked={some} onChange={() => set({ some: true })} />
        Chosen users
      </label>
      {some && (
        <div class="actions picked">
          {chosen.map((user) => (
            <button
              key={user}
              type="button"
              class="chip-button"
              onClick={() => choose(chosen.filter((other) => other !== user))}
            >
              {names.value.get(user) ?? user} ✕<span class="unseen"> remove</span>
            </button>
          ))}
          <input
            id={id}
            type="search"
            aria-label="Find users"
            placeholder="Address or user name"
            value={search.value}
            onInput={({ currentTarget }) => (search.value = currentTarget.value)}
          />
          {search.value !== '' &&
            offered
              .filter((user) => !chosen.includes(user.id))
              .slice(0, OFFERED)
              .map((user) => (
                <button
                  key={user.id}
                  type="button"
                  onClick={() => {
                    choose([...chosen, user.id])
                    search.value = ''
                  }}
                >
                  Add {user.email || user.username || user.id}
                </button>
              ))}
          {error && (
            <p class="field-error" role="alert">
              {error}
            </p>
          )}
        </div>
      )}
    </fieldset>
  )
}

/** The filter that finds users by what was typed, or names those already chosen. */
function filterFor(typed: string, ids: readonly string[]): string {
  const quoted = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  if (ids.length > 0) return ids.map((user) => `id = ${quoted(user)}`).join(' || ')
  return `unlimited = false && (email ~ ${quoted(typed)} || username ~ ${quoted(typed)})`
}
