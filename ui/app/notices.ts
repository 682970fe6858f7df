import type { Api } from '../api/api.ts'
import { type Notice, notices as schema } from '../api/model/notices.ts'
import { createResource, type Resource } from '../api/resource.ts'

/** The notices that the account has not dismissed, newest first; shared by the bell and the pages. */
export interface Notices extends Resource<readonly Notice[]> {
  /** Dismisses notices for the account. Rejects with the first failure, after all were tried. */
  dismiss(ids: readonly string[]): Promise<void>
}

const SHOWN = 100

interface NoticesOptions {
  /** The public name of the collection. */
  collection: () => string
  /** E-mail address of the signed-in superuser; undefined for users. */
  superuser: () => string | undefined
}

/** Creates the notices of the signed-in account. */
export function createNotices(api: Api, { collection, superuser }: NoticesOptions): Notices {
  const resource = createResource<readonly Notice[]>(async (abort) => {
    const email = superuser()
    const search = new URLSearchParams({
      perPage: String(SHOWN),
      sort: '-created',
      ...(email !== undefined && { filter: unreadBy(email) }),
    })
    return (await api.get(`/api/collections/${collection()}/records?${search}`, schema, abort)).items
  })
  return {
    ...resource,
    async dismiss(ids) {
      const outcomes = await Promise.allSettled(
        ids.map((id) => api.send(`/api/notifications/${encodeURIComponent(id)}/dismiss`, {})),
      )
      const gone = new Set(ids.filter((_, at) => outcomes[at]?.status === 'fulfilled'))
      resource.value.value = resource.value.peek()?.filter(({ id }) => !gone.has(id))
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}

/**
 * The notices for everybody that are shown now and that a superuser has not dismissed. Users receive no
 * others; superusers read all, and dismiss them as the user with their address.
 */
export function unreadBy(email: string): string {
  return [
    'target_users:length = 0',
    '(start_time = "" || start_time <= @now)',
    '(end_time = "" || end_time >= @now)',
    `dismissed_by.email != ${JSON.stringify(email)}`,
  ].join(' && ')
}
