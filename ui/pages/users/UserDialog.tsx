import { useSignal } from '@preact/signals'
import { accountLink, type User, type UserActivity, user as userSchema } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { formatNumberOf, formatSeconds } from '../../lib/format.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { FormProblem, TextField, useForm } from '../../parts/form/form.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Fact } from '../../parts/table/Fact.tsx'
import { useConfirm } from '../../parts/use-confirm.ts'
import { parseAmount, writeAmount } from '../time-requests/amount.ts'

interface UserDialogProps {
  user: User & { activity: UserActivity | undefined }
  onClose: () => void
  onChange: () => void
}

const LINKS = [
  { purpose: 'password_reset', label: 'Link for a new password' },
  { purpose: 'verification', label: 'Link that verifies the address' },
] as const

/** One user: balance, links, and the actions that end the access. */
export function UserDialog({ user, onClose, onChange }: UserDialogProps) {
  const { api, attempt, named, toast } = useApp()
  const confirm = useConfirm()
  const link = useSignal('')
  const path = `/api/collections/${named('users')}/records/${user.id}`
  const act = async (work: () => Promise<unknown>, done: string) => {
    if ((await attempt(work)) && done !== '') toast(done)
    onChange()
  }
  const disable = async () => {
    const change = { disabled: !user.disabled }
    const body =
      'Logins and API tokens stop working immediately; mailed and shared links and the calendar address end, and webhooks are disabled. Waiting jobs do not run until the account is enabled again; jobs, results, slots and the balance stay.'
    const isSure =
      user.disabled ||
      (await confirm({ title: `Disable ${user.email}?`, body, action: 'Disable the account', tone: 'bad' }))
    if (!isSure) return
    const done = `${user.email} is ${user.disabled ? 'enabled' : 'disabled'}.`
    await act(() => api.patch(path, change, userSchema), done)
  }
  const remove = async () => {
    const body =
      'Name, address, API tokens, slots and requests are deleted, and pending jobs are cancelled. Ended jobs with their results, the ledger and the audit log stay without the name.'
    const question = {
      title: `Delete ${user.email}?`,
      body,
      action: 'Delete the user',
      typed: user.email,
      tone: 'bad' as const,
    }
    if (!(await confirm(question))) return
    await act(() => api.remove(path), `${user.email} was deleted.`)
    onClose()
  }
  const createLink = (purpose: string) =>
    act(async () => {
      link.value = (await api.post('/api/op/account-links', { id: user.id, purpose }, accountLink)).link
    }, '')
  return (
    <Dialog title={user.username || user.email} open onClose={onClose} wide>
      <dl class="user-facts">
        <Fact name="E-mail">{user.email}</Fact>
        <Fact name="Created">
          <Moment at={user.created} day />
        </Fact>
        <Fact name="Last login">
          <Moment at={user.activity?.last_login} none="never" />
        </Fact>
        <Fact name="Last seen">
          <Moment at={user.activity?.last_seen} none="never" />
        </Fact>
        <Fact name="Used, last 30 days">{formatSeconds(user.activity?.qpu_seconds ?? 0)}</Fact>
        <Fact name="API tokens">{formatNumberOf(user.api_tokens.length, 'token')}</Fact>
      </dl>
      <BalanceForm user={user} onChange={onChange} />
      <div class="actions">
        {LINKS.filter(({ purpose }) => purpose === 'password_reset' || !user.verified).map(
          ({ purpose, label }) => (
            <button key={purpose} type="button" onClick={() => void createLink(purpose)}>
              {label}
            </button>
          ),
        )}
        <a class="button" href={`/jobs?user=${user.id}`}>
          Jobs
        </a>
        <a class="button" href={`/accounting?user=${user.id}`}>
          Usage by month
        </a>
      </div>
      {link.value !== '' && (
        <>
          <CodeBlock title="Link" text={link.value} />
          <p class="hint">It is shown only once. Send it to the user; it expires.</p>
        </>
      )}
      <div class="actions user-end">
        <button type="button" onClick={() => void disable()}>
          {user.disabled ? 'Enable the account' : 'Disable…'}
        </button>
        <button type="button" class="danger" onClick={() => void remove()}>
          Delete…
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function BalanceForm({ user, onChange }: Pick<UserDialogProps, 'user' | 'onChange'>) {
  const { api, toast } = useApp()
  const amountOf = (text: string) => (/^0\s*s?$/.test(text.trim()) ? 0 : parseAmount(text))
  const form = useForm({
    initial: { qpu_seconds: writeAmount(user.qpu_seconds) },
    check: ({ qpu_seconds }) =>
      amountOf(qpu_seconds) === undefined ? { qpu_seconds: 'Enter an amount such as 1h 30m.' } : {},
    async submit({ qpu_seconds }) {
      const balance = { qpu_seconds: amountOf(qpu_seconds) }
      await api.patch(`/api/admin/users/${user.id}`, balance, userSchema)
      toast(`The balance is ${formatSeconds(balance.qpu_seconds ?? 0)}.`)
      onChange()
    },
  })
  return (
    <form class="balance-form" onSubmit={form.submit}>
      <FormProblem form={form} />
      <TextField form={form} name="qpu_seconds" label="Balance of QPU time" autocomplete="off" />
      <button type="submit" aria-disabled={!form.changed || form.busy.value}>
        Set the balance
      </button>
    </form>
  )
}
