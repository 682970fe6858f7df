import { timeRequests } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { useLive, useResource } from '../../app/use-resource.ts'

/** The number of open requests, beside the link to their page; nothing when there is none. */
export function OpenRequests() {
  const { api, named } = useApp()
  const query = new URLSearchParams({ filter: 'status = "pending"', perPage: '1' })
  const open = useResource((abort) =>
    api.get(`/api/collections/${named('qpu_time_requests')}/records?${query}`, timeRequests, abort),
  )
  useLive('qpu_time_requests/*', () => open.loadSoon())
  const total = open.value.value?.totalItems ?? 0
  if (total === 0) return null
  return (
    <span class="count">
      {total}
      <span class="unseen"> open</span>
    </span>
  )
}
