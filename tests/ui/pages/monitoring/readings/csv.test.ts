import { expect, test } from 'bun:test'
import { readingsToCsv } from '../../../../../ui/pages/monitoring/readings/csv.ts'

const series = (channel: string) => ({
  channel,
  unit: 'K',
  last: '',
  at: [0],
  min: [1],
  mean: [2],
  max: [3],
  count: [4],
})

test('readingsToCsv() has a line per bucket and channel', () => {
  expect(readingsToCsv({ step_ms: 5_000, series: [series('t')] })).toBe(
    'time_utc,bucket_seconds,channel,unit,min,mean,max,readings\r\n1970-01-01T00:00:00.000Z,5,t,K,1,2,3,4\r\n',
  )
})

test('readingsToCsv() lets no name of a channel become a formula or a field of its own', () => {
  const text = readingsToCsv({ step_ms: 5_000, series: [series('=1+1'), series('a,"b"')] })
  expect(text).toContain(",'=1+1,")
  expect(text).toContain(',"a,""b""",')
})
