import * as v from 'valibot'
import type { Me } from '../../../api/model/me.ts'
import { useApp } from '../../../app/app.ts'
import { FormActions, Select, useForm } from '../../../parts/form/form.tsx'
import { Panel } from '../../../parts/Panel.tsx'

const AFTER = [
  { seconds: 0, title: 'Never' },
  { seconds: 1, title: 'Always' },
  { seconds: 600, title: 'If it took 10 minutes or longer' },
  { seconds: 3_600, title: 'If it took an hour or longer' },
  { seconds: 21_600, title: 'If it took 6 hours or longer' },
]

/** What the server mails to the user. */
export function Mails({ account }: { account: Me['account'] }) {
  const { api, named, toast } = useApp()
  const { mail_job_after, mail_slot_start, mail_time_request } = account
  const form = useForm({
    initial: { mail_job_after, mail_slot_start, mail_time_request },
    async submit(values) {
      await api.patch(`/api/collections/${named('users')}/records/${account.id}`, values, v.unknown())
      toast('Saved.')
    },
  })
  const { values } = form
  const isListed = AFTER.some(({ seconds }) => seconds === mail_job_after)
  return (
    <Panel title="Mail">
      <form class="form padded" onSubmit={form.submit}>
        <div class="field">
          <label for={form.id('mail_job_after')}>When a job ends</label>
          <Select
            id={form.id('mail_job_after')}
            value={String(values.value.mail_job_after)}
            choices={[
              ...AFTER.map(({ seconds, title }) => [String(seconds), title] as const),
              ...(isListed
                ? []
                : [[String(mail_job_after), `If it took ${mail_job_after} s or longer`] as const]),
            ]}
            set={(seconds) => form.set({ mail_job_after: Number(seconds) })}
          />
        </div>
        <Choice
          text="When one of my slots starts"
          checked={values.value.mail_slot_start}
          set={(checked) => form.set({ mail_slot_start: checked })}
        />
        <Choice
          text="When a request for QPU time is decided"
          checked={values.value.mail_time_request}
          set={(checked) => form.set({ mail_time_request: checked })}
        />
        <FormActions form={form} action="Save" secondary />
      </form>
    </Panel>
  )
}

/** What the server mails to a superuser. */
export function AlertMails({ account }: { account: Me['account'] }) {
  const { api, toast } = useApp()
  const form = useForm({
    initial: { mail_alerts: account.mail_alerts },
    async submit(values) {
      await api.patch(`/api/collections/_superusers/records/${account.id}`, values, v.unknown())
      toast('Saved.')
    },
  })
  return (
    <Panel title="Mail">
      <form class="form padded" onSubmit={form.submit}>
        <Choice
          text="When a figure of the service or a reading passes its limit"
          checked={form.values.value.mail_alerts}
          set={(checked) => form.set({ mail_alerts: checked })}
        />
        <FormActions form={form} action="Save" secondary />
      </form>
    </Panel>
  )
}

interface ChoiceProps {
  text: string
  checked: boolean
  set: (checked: boolean) => void
}

function Choice({ text, checked, set }: ChoiceProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => set(currentTarget.checked)} />
      {text}
    </label>
  )
}
