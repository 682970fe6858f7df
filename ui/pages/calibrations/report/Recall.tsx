import * as v from 'valibot'
import { asApiError } from '../../../api/api.ts'
import { type Recall, recalls } from '../../../api/model/recalls.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import { formatNumberOf } from '../../../lib/format.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { useAsk } from '../../../parts/use-confirm.ts'

/** Jobs that a recall counts at most. */
const MAX_COUNTED = 1_000
const owners = v.array(v.object({ user_id: v.string() }))

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
  /** What a recall would mark now. */
  const touched = async () => {
    const query = `user=*&status=completed&calibration=${encodeURIComponent(report)}&limit=${MAX_COUNTED}`
    const jobs = await api.get(`/api/jobs?${query}&fields=user_id`, owners)
    const most = jobs.length === MAX_COUNTED ? 'at least ' : ''
    const users = formatNumberOf(new Set(jobs.map(({ user_id }) => user_id)).size, 'user')
    return `So far ${most}${formatNumberOf(jobs.length, 'result')} of ${users} ran with it.`
  }
  const operate = async (recall: Recall | undefined) => {
    try {
      const texts = recall ? WITHDRAW : { ...DECLARE, body: `${await touched()} ${DECLARE.body}` }
      const { confirmed, reason } = await ask({ ...texts, reason: { label: 'Reason' } })
      if (!confirmed) return
      if (recall) await api.send(`/api/op/recalls/${recall.id}/undo`, { reason })
      else await api.send('/api/op/recalls', { report, reason })
    } catch (failure) {
      toast(asApiError(failure).message, 'bad')
    }
    void found.load()
  }
  if (!inForce && !isSuperuser) return null
  return (
    <div class={inForce ? 'notice tone-warn' : 'notice'}>
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
