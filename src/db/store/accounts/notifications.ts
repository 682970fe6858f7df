import { notifications } from '../../collections/notifications.ts'
import type { Database } from '../../records/database.ts'
import { jsonAppend } from '../../sqlite/dialect.ts'

/** How an attempt to dismiss a notification ended. */
export type Dismissal = 'dismissed' | 'not_addressed' | 'missing'

/**
 * Notes that a user has seen a notification and wants it no more; doing so again changes nothing. One that has
 * not begun does not exist for users yet; one that is over can still be put away.
 */
export function dismissNotification(db: Database, user: string, id: string): Promise<Dismissal> {
  return db.write('dismiss notification', (tx) => {
    const found = tx.find(notifications, id)
    if (!found || (found.start_time !== '' && found.start_time > tx.at)) return 'missing'
    if (found.target_users.length > 0 && !found.target_users.includes(user)) return 'not_addressed'
    if (found.dismissed_by.includes(user)) return 'dismissed'
    // One statement adds one id; writing the list back would look up each of thousands of users again.
    tx.run(
      `UPDATE notifications SET dismissed_by = ${jsonAppend('dismissed_by', '$user')}, updated = $at
       WHERE id = $id`,
      { id, user, at: tx.at },
    )
    tx.changed(notifications, id, 'update')
    return 'dismissed'
  })
}
