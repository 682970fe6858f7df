import { useSignal } from '@preact/signals'
import { asApiError } from '../../../api/api.ts'
import { useApp } from '../../../app/app.ts'
import { Panel } from '../../../parts/Panel.tsx'
import { useConfirm } from '../../../parts/use-confirm.ts'

/** Ends every login of the account. */
export function Sessions() {
  const { api, signOut, toast } = useApp()
  const confirm = useConfirm()
  const withTokens = useSignal(false)
  const end = async () => {
    const confirmed = await confirm({
      title: 'Sign out everywhere?',
      body: withTokens.value
        ? 'Every login ends, this one too, mailed links become invalid and your API tokens are deleted.'
        : 'Every login ends, this one too, and mailed links become invalid. API tokens stay valid.',
      action: 'Sign out everywhere',
      tone: 'bad',
    })
    if (!confirmed) return
    try {
      await api.send('/api/auth/logout-everywhere', { api_tokens: withTokens.value })
      signOut()
      toast('All logins have ended.')
    } catch (failure) {
      toast(asApiError(failure).message, 'bad')
    }
  }
  return (
    <Panel title="Logins">
      <div class="form padded">
        <p class="soft">Lost a computer, or found a login that is not yours? End all of them.</p>
        <label class="check">
          <input
            type="checkbox"
            checked={withTokens.value}
            onChange={({ currentTarget }) => {
              withTokens.value = currentTarget.checked
            }}
          />
          Also delete my API tokens
        </label>
        <div class="actions">
          <button type="button" class="danger" onClick={() => void end()}>
            Sign out everywhere
          </button>
        </div>
      </div>
    </Panel>
  )
}
