import { expect, test } from 'bun:test'
import {
  changesOf,
  findIncidents,
  maintenanceTimes,
  toMarks,
} from '../../../../../ui/pages/monitoring/readings/incidents.ts'
import { toChannels } from '../../../../../ui/parts/monitor/channels.ts'

const START = Date.parse('2026-11-20T00:00:00Z')
const MINUTE_MS = 60_000
const at = (minutes: number) => new Date(START + minutes * MINUTE_MS).toISOString()
const change = (minutes: number, maintenance: boolean, reason = '') => ({
  at: at(minutes),
  detail: { maintenance, reason, until: '' },
})

test('maintenanceTimes() pairs the changes; the current maintenance is open', () => {
  const now = START + 100 * MINUTE_MS
  const changes = [
    change(90, true, 'Warm-up'),
    change(30, false),
    change(20, true, 'Later'),
    change(10, true),
  ]
  expect(
    maintenanceTimes(changes, now).map(({ at, until, isOpen, reason }) => [at, until, isOpen, reason]),
  ).toEqual([
    [START + 10 * MINUTE_MS, START + 20 * MINUTE_MS, false, ''],
    [START + 20 * MINUTE_MS, START + 30 * MINUTE_MS, false, 'Later'],
    [START + 90 * MINUTE_MS, now, true, 'Warm-up'],
  ])
})

test('findIncidents() lists what happened, the newest first, and toMarks() what plots show', () => {
  const now = START + 60 * MINUTE_MS
  const readings = [0, 1, 2, 3, 20, 21, 22, 23, 24]
  const column = readings.map(() => 1)
  const channels = toChannels({
    step_ms: MINUTE_MS,
    series: [
      {
        ...{ channel: 't', unit: 'K', last: at(24), min: column, mean: column, max: column },
        at: readings.map((minute) => START + minute * MINUTE_MS),
        count: readings.map(() => 4),
      },
    ],
  })
  const incidents = findIncidents({
    channels,
    breaches: [],
    notes: [{ id: 'n', at: at(12), text: 'Refilled', qpu: '', author: '' }],
    calibrations: [
      { id: 'c', mode: 'full', status: 'running', started_at: at(40), finished_at: '', result: '' },
    ],
    maintenance: [change(50, true)],
    from: START,
    now,
    isLive: true,
  })
  expect(incidents.map(({ kind, at, isOpen }) => [kind, (at - START) / MINUTE_MS, isOpen ?? false])).toEqual([
    ['maintenance', 50, true],
    ['calibration', 40, true],
    ['stale', 24, true],
    ['note', 12, false],
    ['gap', 3, false],
  ])
  expect(toMarks(incidents).map(({ tone }) => tone)).toEqual(['maintenance', 'calibration', 'note'])
})

test('changesOf() reads the maintenance of one QPU from the schedule; an expected end is not an end', () => {
  const busy = (start: string, end: string, qpu = 'q', kind: 'maintenance' | 'slot' = 'maintenance') => ({
    ...{ qpu, kind, start, end, mine: false },
  })
  const at = (hour: number) => `2026-06-10 ${hour}:00:00.000Z`
  const schedule = {
    busy: [
      busy(at(10), at(11)),
      busy(at(12), at(20)),
      busy('', ''),
      busy(at(10), at(11), 'other'),
      busy(at(10), at(11), 'q', 'slot'),
    ],
  }
  const now = Date.UTC(2026, 5, 10, 13)
  const times = maintenanceTimes(changesOf(schedule, 'q', now), now)
  expect(times.map(({ at, until, isOpen, expected }) => [at, until, isOpen, expected])).toEqual([
    [Date.UTC(2026, 5, 10, 10), Date.UTC(2026, 5, 10, 11), false, ''],
    [Date.UTC(2026, 5, 10, 12), now, true, at(20)],
  ])
})
