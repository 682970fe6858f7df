import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { describeActivity } from '../../jobs/jobs.ts'
import { ownSlot } from '../../jobs/occupancy.ts'
import { qpuCondition } from '../../jobs/status.ts'
import { formatNumberOf, sentence, spellCount } from '../../lib/format.ts'

const RENEW_MS = 30_000

/** The sentence that matters: the user's slot and jobs, or else the number of QPUs that take jobs. */
export function Lead() {
  const { jobs, qpus } = useApp()
  const now = useNow(RENEW_MS)
  const all = qpus.value.value
  const slot = all && ownSlot(all, now.value)
  const activity = jobs.value.value && describeActivity(jobs.value.value)
  if (slot || activity) {
    const held = slot && `Your slot on ${slot.name} ends in ${slot.left}.`
    return <>{[held, activity].filter(Boolean).join(' ')}</>
  }
  if (!all || all.length === 0) return null
  const ready = all.filter((qpu) => qpuCondition(qpu).takesJobs).length
  if (all.length === 1) return <>{ready ? 'The QPU takes jobs.' : 'The QPU takes no jobs now.'}</>
  const some = ready === 0 ? 'None' : sentence(spellCount(ready))
  return (
    <>
      {some} of {formatNumberOf(all.length, 'QPU')} {ready > 1 ? 'take' : 'takes'} jobs now.
    </>
  )
}
