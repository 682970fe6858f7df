import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Field } from '../../parts/form/form.tsx'
import { UserSearch } from '../../parts/form/UserSearch.tsx'

/** The user to book for: superusers type a part of an address or name. */
export function UserField({ chosen }: { chosen: Signal<string> }) {
  const id = useId()
  const text = useSignal('')
  const isUnknown = text.value !== '' && chosen.value === ''
  return (
    <Field
      id={id}
      label="Book for"
      hint={isUnknown ? 'Choose an address from the list.' : 'Empty: for yourself.'}
    >
      <UserSearch
        id={id}
        placeholder="E-mail or name of a user"
        filter="disabled = false && unlimited = false"
        text={text}
        choose={(user) => (chosen.value = user)}
      />
    </Field>
  )
}
