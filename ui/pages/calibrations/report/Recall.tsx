import { asApiError } from '../../../api/api.ts'
import { type Recall, recalls } from '../../../api/model/recalls.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { useAsk } from '../../../parts/use-confirm.ts'

/** Whether the results with a report are recalled, for those who are signed in; superusers change it. */
export function RecallNotice({ report }: { report: string }) {
  const { account, superuser } = useApp()
  return account.value ? <SignedIn report={report} isSuperuser={superuser.value} /> : null
}

function SignedIn({ report, isSuperuser }: { report: string; isSuperuser: boolean }) {
  const { api, toast } = useApp()
  const ask = useAsk()
  const path = `/api/recalls?report=${encodeURIComponent(report)}`
  const found = useResource((abort) => api.get(path, recalls, abort), [report])
  const inForce = found.value.value?.find(({ undone_at }) => undone_at === '')
  const operate = async (recall: Recall | undefined) => {
    const { confirmed, reason } = await ask({ ...(recall ? WITHDRAW : DECLARE), reason: { label: 'Reason' } })
    if (!confirmed) return
    try {
      if (recall) await api.send(`/api/op/recalls/${recall.id}/undo`, { reason })
      else await api.send('/api/op/recalls', { report, reason })
    } catch (failure) {
      toast(asApiError(failure).message, 'bad')
    }
    void found.load()
  }
  if (!inForce && !isSuperuser) return null
  return (
    <div class={inForce ? 'notice tone-bad' : 'notice'}>
      <p>
        {inForce ? (
          <>
            <strong>Recalled</strong> <Moment at={inForce.created} />: {inForce.reason}
          </>
        ) : (
          'If these values were wrong, recall the results of the jobs that ran with them.'
        )}{' '}
        {isSuperuser && found.value.value && (
          <button type="button" class="link" onClick={() => void operate(inForce)}>
            {inForce ? 'Withdraw the recall…' : 'Recall results…'}
          </button>
        )}
      </p>
    </div>
  )
}

const DECLARE = {
  title: 'Recall the results with this calibration?',
  body: 'Each result that ran with it is marked, its owner is notified once and reads the reason, and its charge is refunded.',
  action: 'Recall',
}
const WITHDRAW = {
  title: 'Withdraw this recall?',
  body: 'The marks are removed. What was refunded because of it alone is deducted again, also if a balance becomes negative.',
  action: 'Withdraw',
}
