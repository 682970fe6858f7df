import { expected, type ValueKind } from '../../base/index.ts'
import type { RetentionPolicy } from '../../db/sqlite/backup/index.ts'

/** Backups to keep: `96:7:4` = the last 96, one per day for 7 days and one per week for 4 weeks. */
export function backupRetention(): ValueKind<RetentionPolicy> {
  return {
    hint: 'last:days:weeks',
    parse(text) {
      const [, last = '1', days, weeks] = /^(?:(\d{1,4}):)?(\d{1,4}):(\d{1,4})$/.exec(text) ?? []
      if (days === undefined || weeks === undefined) {
        throw expected('last:days:weeks, such as 96:7:4, or days:weeks, such as 7:4')
      }
      return { last: Number(last), days: Number(days), weeks: Number(weeks) }
    },
    format: ({ last, days, weeks }) => `${last}:${days}:${weeks}`,
  }
}
