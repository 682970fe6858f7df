import { badField } from '../../base/index.ts'
import { defineCollection } from '../schema/collection.ts'
import { date, relations, text } from '../schema/fields/index.ts'

const VISIBLE = [
  '@request.auth.id != ""',
  '(target_users:length = 0 || target_users.id ?= @request.auth.id)',
  '(start_time = "" || start_time <= @now)',
  '(end_time = "" || end_time >= @now)',
  'dismissed_by.id != @request.auth.id',
].join(' && ')

/** More than any installation has users. */
const EVERYBODY = 1_000_000

/** Announcements to all users or to some, shown in a time window until each user dismisses them. */
export const notifications = defineCollection({
  name: 'notifications',
  fields: {
    title: text({ required: true, max: 255 }),
    description: text(),
    target_users: relations('users', { cascade: true, help: 'Empty = everybody' }),
    dismissed_by: relations('users', {
      max: EVERYBODY,
      ownOnly: true,
      help: 'Users see only themselves here',
    }),
    start_time: date(),
    end_time: date(),
  },
  rules: { list: VISIBLE, view: VISIBLE, create: null, update: null, remove: null },
  hooks: {
    beforeInsert({ record }) {
      refuseBadWindow(record)
    },
    beforeUpdate({ after }) {
      refuseBadWindow(after)
    },
  },
})

function refuseBadWindow(window: { start_time: string; end_time: string }): void {
  if (window.start_time === '' || window.end_time === '' || window.start_time <= window.end_time) return
  throw badField('A notification must not end before it starts', 'end_time', 'Must not be before start_time.')
}
