import { useSignal } from '@preact/signals'
import { useApp } from '../../../app/app.ts'

/** Says that the address is not verified and sends the link again. */
export function Verification({ email }: { email: string }) {
  const { api, attempt, named } = useApp()
  const sent = useSignal(false)
  const send = async () => {
    await attempt(async () => {
      await api.send(`/api/collections/${named('users')}/request-verification`, { email })
      sent.value = true
    })
  }
  return (
    <p class="notice tone-warn">
      <span>{sent.value ? `A link was sent to ${email}.` : `The address ${email} is not verified.`}</span>
      {!sent.value && (
        <button type="button" onClick={() => void send()}>
          Send the link
        </button>
      )}
    </p>
  )
}
