import * as v from 'valibot'
import { AppError, notFound } from '../../base/index.ts'
import { dismissNotification } from '../../db/store/accounts/index.ts'
import { actingUser } from '../auth/acting-user.ts'
import { defineRoute, type Route } from '../http/route.ts'

/** Routes that change notifications; the record routes read them. */
export const notificationRoutes: Route[] = [
  defineRoute('POST /api/notifications/:id/dismiss', {
    access: 'signed_in',
    summary: 'Dismiss a notification for the caller; a repetition changes nothing',
    response: v.object({ status: v.literal('dismissed') }),
    async run({ db }, { caller, params }) {
      const user = await actingUser(db, caller)
      const status = await dismissNotification(db, user.id, params.id)
      switch (status) {
        case 'dismissed':
          return { status }
        case 'not_addressed':
          throw new AppError('forbidden', 'This notification is not addressed to you')
        case 'missing':
          throw notFound()
      }
    },
  }),
]
