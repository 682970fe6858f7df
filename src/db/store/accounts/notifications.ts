import { notifications } from '../../collections/notifications.ts'
import type { Database } from '../../records/database.ts'

/** The outcome of dismissing a notification. */
type Dismissal = 'dismissed' | 'not_addressed' | 'missing'

/**
 * Records that a user dismissed a notification; repeating it changes nothing. A notification that has not
 * started does not exist for users; one that has ended can still be dismissed.
 */
export function dismissNotification(db: Database, user: string, id: string): Promise<Dismissal> {
  return db.write('dismiss notification', (tx) => {
    const found = tx.find(notifications, id)
    if (!found || (found.start_time !== '' && found.start_time > tx.at)) return 'missing'
    if (found.target_users.length > 0 && !found.target_users.includes(user)) return 'not_addressed'
    if (found.dismissed_by.includes(user)) return 'dismissed'
    // One statement adds one id; rewriting the list would validate thousands of users again.
    tx.run(
      `UPDATE notifications SET dismissed_by = ${tx.dialect.jsonAppend('dismissed_by', '$user')}, updated = $at
       WHERE id = $id`,
      { id, user, at: tx.at },
    )
    tx.changed(notifications, id, 'update')
    return 'dismissed'
  })
}
