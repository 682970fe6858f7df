import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { userNames } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { Field } from '../../parts/Field.tsx'

const MAX_FOUND = 8
const TYPING_MS = 200

/** The user to book for: superusers type a part of an address or name. */
export function UserField({ chosen }: { chosen: Signal<string> }) {
  const { api, named } = useApp()
  const id = useId()
  const text = useSignal('')
  const found = useSignal<readonly { id: string; email: string }[]>([])
  useEffect(() => {
    const typed = text.value.trim()
    const match = found.peek().find(({ email }) => email === typed)
    chosen.value = match?.id ?? ''
    if (typed === '' || match) return undefined
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const quoted = JSON.stringify(typed)
      const filter = `disabled = false && unlimited = false && (email ~ ${quoted} || username ~ ${quoted})`
      const query = new URLSearchParams({
        filter,
        perPage: String(MAX_FOUND),
        skipTotal: 'true',
        sort: 'email',
      })
      api
        .get(`/api/collections/${named('users')}/records?${query}`, userNames, abort.signal)
        .then(({ items }) => {
          found.value = items
          const only = items.find(({ email }) => email === text.peek().trim())
          if (only) chosen.value = only.id
        })
        .catch(() => undefined)
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text.value])
  const isUnknown = text.value !== '' && chosen.value === ''
  return (
    <Field
      id={id}
      label="Book for"
      hint={isUnknown ? 'Choose an address from the list.' : 'Empty: for yourself.'}
    >
      <input
        id={id}
        list={`${id}-found`}
        autocomplete="off"
        placeholder="E-mail or name of a user"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
      />
      <datalist id={`${id}-found`}>
        {found.value.map(({ id: user, email }) => (
          <option key={user} value={email} />
        ))}
      </datalist>
    </Field>
  )
}
