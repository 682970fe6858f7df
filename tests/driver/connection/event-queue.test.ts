import { expect, test } from 'bun:test'
import { EventQueue } from '../../../src/driver/connection/event-queue.ts'
import { recordedLog } from '../support/logs.ts'

function taken(queue: EventQueue): string[] {
  const bodies: string[] = []
  queue.flush((body) => {
    bodies.push(body)
    return true
  })
  return bodies
}

test('EventQueue.flush() sends in order and keeps the events that were not accepted', () => {
  const queue = new EventQueue(recordedLog().log)
  for (const body of ['a', 'b', 'c']) queue.add({ body, droppable: true })
  const sent: string[] = []
  queue.flush((body) => sent.length < 2 && sent.push(body) > 0)
  expect(sent).toEqual(['a', 'b'])
  expect(taken(queue)).toEqual(['c'])
  expect(queue.size).toBe(0)
})

test('EventQueue drops the oldest readings first, then other events, and logs how many', () => {
  const { log, lines } = recordedLog()
  const queue = new EventQueue(log)
  queue.add({ body: 'progress', droppable: false })
  for (let i = 0; i < 1_001; i++) queue.add({ body: `reading ${i}`, droppable: true })
  expect(queue.size).toBe(1_000)
  const sent = taken(queue)
  expect(sent.slice(0, 2)).toEqual(['progress', 'reading 2'])
  expect(lines).toMatchObject([
    { level: 'warn', message: 'events dropped while the server was not connected', count: 2 },
  ])
  for (let i = 0; i < 1_001; i++) queue.add({ body: `progress ${i}`, droppable: false })
  expect(taken(queue)[0]).toBe('progress 1')
})

test('EventQueue is limited in characters, too', () => {
  const queue = new EventQueue(recordedLog().log)
  const body = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 20; i++) queue.add({ body, droppable: true })
  expect(queue.size).toBe(8)
  taken(queue)
  for (let i = 0; i < 8; i++) queue.add({ body, droppable: true })
  expect(queue.size).toBe(8)
})
