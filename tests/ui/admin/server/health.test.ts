import { expect, test } from 'bun:test'
import { type Figure, limitText, lookOf, valueText } from '../../../../ui/admin/server/health.ts'

const figure = (more: Partial<Figure>): Figure => ({
  metric: 'svc_disk_free_bytes',
  title: 'Free disk space',
  value: 4e9,
  is_read: true,
  from: null,
  below: null,
  is_beyond: false,
  since: '',
  history: [],
  ...more,
})

test('a figure has its value and limit in words', () => {
  const disk = figure({ below: 5e9 })
  expect(limitText(disk)).toMatch(/^above 4\.66/)
  expect(limitText(figure({ metric: 'svc_webhooks_failing', from: 1 }))).toBe('below 1')
  expect(valueText(figure({ metric: 'svc_error_share', value: 0.013 }))).toBe('1.3 %')
})

test('a state has no limit in words, and an unknown value is named', () => {
  const writes = figure({ metric: 'svc_storage_failing', value: 0, from: 1 })
  expect([valueText(writes), limitText(writes)]).toEqual(['accepted', ''])
  expect(valueText(figure({ metric: 'svc_backup_age_seconds', value: null }))).toBe('no backup')
  const unread = figure({ metric: 'svc_backup_age_seconds', value: null, is_read: false })
  expect(valueText(unread)).toBe('cannot be read')
})

test('a figure of a newer server is shown as a number', () => {
  expect(lookOf(figure({ metric: 'svc_new' })).show(1.5)).toBe('1.5')
})
