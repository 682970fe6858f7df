import { useSignal } from '@preact/signals'
import {
  describeIssued,
  describeLinked,
  type IssuedAccess,
  withIssuedAccess,
} from '../../../api/model/account.ts'
import { useApp } from '../../../app/app.ts'
import { Check } from '../../../parts/form/form.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { useAction } from '../../../parts/use-confirm.ts'
import { RemainingAccess } from './RemainingAccess.tsx'

/** Ends every login of the account; lists what else it has given out. */
export function Logins({ issued }: { issued: IssuedAccess }) {
  const { api, signOut, toast } = useApp()
  const act = useAction()
  const withTokens = useSignal(false)
  const end = async () => {
    const question = {
      title: 'Sign out everywhere?',
      body: withTokens.value
        ? 'Every login ends, this one too, mailed links become invalid, your API tokens, shared links and calendar address end, and your webhooks are disabled.'
        : 'Every login ends, this one too, and mailed links become invalid. API tokens, shared links, webhooks and your calendar address stay valid.',
      action: 'Sign out everywhere',
      tone: 'bad' as const,
    }
    await act(question, async () => {
      const body = { api_tokens: withTokens.value }
      const { issued_access } = await api.post('/api/auth/logout-everywhere', body, withIssuedAccess)
      signOut()
      toast(`All logins have ended. ${describeIssued(issued_access)} ${describeLinked(issued_access)}`.trim())
    })
  }
  return (
    <Panel title="Logins">
      <div class="form padded">
        <p class="soft">Lost a computer, or found a login that is not yours? End all of them.</p>
        <Check checked={withTokens.value} set={(isChecked) => (withTokens.value = isChecked)}>
          Also end my API tokens, shared links, webhooks and calendar address
        </Check>
        <div class="actions">
          <button type="button" class="danger" onClick={() => void end()}>
            Sign out everywhere
          </button>
        </div>
        <RemainingAccess issued={issued} />
      </div>
    </Panel>
  )
}
