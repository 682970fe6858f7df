import { useSignal } from '@preact/signals'
import { describeIssued, describeLinked, type IssuedAccess } from '../../../api/model/account.ts'
import { useApp } from '../../../app/app.ts'
import { useAction } from '../../../parts/use-confirm.ts'

/** What the account has given out and is still valid, perhaps to a thief, with the button that ends it. */
export function RemainingAccess({ issued }: { issued: IssuedAccess }) {
  const { api } = useApp()
  const act = useAction()
  const ended = useSignal<IssuedAccess>()
  const text = ended.value === issued ? '' : describeIssued(issued)
  const linked = describeLinked(issued)
  if (text === '' && linked === '') return null
  const end = async () => {
    const question = {
      title: 'End all of them?',
      body: `${text} Webhooks are disabled, and you can enable yours again.`,
      action: 'End all of them',
      tone: 'bad' as const,
    }
    const work = async () => {
      await api.send('/api/auth/logout-everywhere', { api_tokens: true, logins: false })
      ended.value = issued
    }
    await act(question, work, 'They have ended.')
  }
  return (
    <div class="notice" role="status">
      {text !== '' && (
        <>
          <p>
            {text} Check the <a href="/settings/tokens">API tokens</a> and{' '}
            <a href="/settings/webhooks">webhooks</a>.
          </p>
          <button type="button" class="danger" onClick={() => void end()}>
            End all of them
          </button>
        </>
      )}
      {linked !== '' && <p>{linked}</p>}
    </div>
  )
}
