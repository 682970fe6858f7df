import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { userNames } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'

const MAX_FOUND = 8
const TYPING_MS = 200

interface UserSearchProps {
  id?: string
  /** Read aloud where the field has no visible label. */
  label?: string
  placeholder: string
  /** Condition of the users that are offered. */
  filter?: string
  text: Signal<string>
  /** Called with the id of the user whose address the text is; with an empty one while it is another text. */
  choose: (id: string) => void
}

/** Finds a user by a part of the address or name; for superusers. */
export function UserSearch({ id, label, placeholder, filter, text, choose }: UserSearchProps) {
  const { api, named } = useApp()
  const list = useId()
  const found = useSignal<readonly { id: string; email: string }[]>([])
  useEffect(() => {
    const typed = text.value.trim()
    const match = found.peek().find(({ email }) => email === typed)
    choose(match?.id ?? '')
    if (typed === '' || match) return undefined
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const quoted = JSON.stringify(typed)
      const query = new URLSearchParams({
        filter: [filter, `(email ~ ${quoted} || username ~ ${quoted})`].filter(Boolean).join(' && '),
        perPage: String(MAX_FOUND),
        skipTotal: 'true',
        sort: 'email',
      })
      api
        .get(`/api/collections/${named('users')}/records?${query}`, userNames, abort.signal)
        .then(({ items }) => {
          found.value = items
          const only = items.find(({ email }) => email === text.peek().trim())
          if (only) choose(only.id)
        })
        .catch(() => undefined)
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text.value])
  return (
    <>
      <input
        id={id}
        aria-label={label}
        list={list}
        autocomplete="off"
        placeholder={placeholder}
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <datalist id={list}>
        {found.value.map(({ id: user, email }) => (
          <option key={user} value={email} />
        ))}
      </datalist>
    </>
  )
}
