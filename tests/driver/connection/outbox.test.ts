import { afterEach, expect, test } from 'bun:test'
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Outbox } from '../../../src/driver/connection/outbox.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { recordedLog } from '../support/logs.ts'

function eventOf(id: string): string {
  return JSON.stringify({ type: 'JobResult', id, ts: '2026-01-31T09:00:00.000Z', payload: {} })
}

const opened: Outbox[] = []
afterEach(async () => {
  for (const outbox of opened.splice(0)) await outbox.close()
})

async function openOutbox(folder: string) {
  const clock = new FakeClock()
  const recorded = recordedLog()
  const outbox = await Outbox.open(folder, { clock, log: recorded.log })
  opened.push(outbox)
  const sent: string[] = []
  const send = async (body: string) => {
    sent.push(body)
  }
  return { outbox, clock, sent, send, ...recorded }
}

/** Ids of the events that a later run finds. */
async function restored(folder: string): Promise<string[]> {
  const { outbox } = await openOutbox(folder)
  return outbox.ids()
}

/** Overwrites the text of an event in the journal. */
function damage(folder: string, id: string): void {
  const path = join(folder, 'journal')
  const bytes = readFileSync(path)
  const at = bytes.indexOf(eventOf(id))
  if (at < 0) throw new Error(`${id} is not in the journal`)
  bytes.write('damaged', at + 10)
  writeFileSync(path, bytes)
}

test('Outbox.put() stores events in one file, readable by its owner only', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'outbox')
  const { outbox } = await openOutbox(path)
  for (const id of ['job1.1', 'job2.1']) await outbox.put(id, eventOf(id))
  expect(await readdir(path)).toEqual(['journal'])
  expect((await Bun.file(join(path, 'journal')).stat()).mode & 0o077).toBe(0)
  expect(await restored(path)).toEqual(['job1.1', 'job2.1'])
})

test('Outbox.sendDue() sends again after 5, 10, 20, 40, 60, 60 s until acknowledge()', async () => {
  using folder = temporaryFolder()
  const { outbox, clock, sent, send } = await openOutbox(folder.path)
  await outbox.put('job1.1', eventOf('job1.1'))
  const times: number[] = []
  for (let second = 0; second <= 200; second++) {
    const before = sent.length
    await outbox.sendDue(send)
    if (sent.length > before) times.push(second)
    await clock.advance(1_000)
  }
  expect(times).toEqual([0, 5, 15, 35, 75, 135, 195])
  expect(new Set(sent)).toEqual(new Set([eventOf('job1.1')]))
  expect(await outbox.acknowledge('job1.1')).toBe(true)
  expect(await outbox.acknowledge('job1.1')).toBe(false)
  await clock.advance(100_000)
  await outbox.sendDue(send)
  expect(sent).toHaveLength(7)
  expect(await restored(folder.path)).toEqual([])
})

test('Outbox.sendDue() resends a large event only after the time that a slow line needs', async () => {
  using folder = temporaryFolder()
  const { outbox, clock, sent, send } = await openOutbox(folder.path)
  await outbox.put('job1.1', JSON.stringify({ id: 'job1.1', padding: 'x'.repeat(10_000_000) }))
  const times: number[] = []
  for (let second = 0; second <= 160; second++) {
    const before = sent.length
    await outbox.sendDue(send)
    if (sent.length > before) times.push(second)
    await clock.advance(1_000)
  }
  expect(times).toEqual([0, 21, 42, 63, 103])
})

test('Outbox.markDue() makes events due at once and resets their pauses', async () => {
  using folder = temporaryFolder()
  const { outbox, clock, sent, send } = await openOutbox(folder.path)
  for (const id of ['a.1', 'b.1']) await outbox.put(id, eventOf(id))
  await outbox.sendDue(send)
  outbox.markDue('b.1')
  await outbox.sendDue(send)
  expect(sent.slice(2)).toEqual([eventOf('b.1')])
  outbox.markDue()
  await outbox.sendDue(send)
  expect(sent).toHaveLength(5)
  await clock.advance(5_000)
  await outbox.sendDue(send)
  expect(sent).toHaveLength(7)
})

test('Outbox.sendDue() leaves an event due when sending fails', async () => {
  using folder = temporaryFolder()
  const { outbox, sent, send } = await openOutbox(folder.path)
  await outbox.put('a.1', eventOf('a.1'))
  await expect(outbox.sendDue(() => Promise.reject(new Error('disconnected')))).rejects.toThrow(
    'disconnected',
  )
  await outbox.sendDue(send)
  expect(sent).toEqual([eventOf('a.1')])
})

test('Outbox.open() takes files of an earlier release into the journal, drops incomplete ones and ignores others', async () => {
  using folder = temporaryFolder()
  const first = await openOutbox(folder.path)
  await first.outbox.put('job1.1', eventOf('job1.1'))
  const file = (name: string, text: string) => writeFileSync(join(folder.path, name), text)
  file('job0.1.json', eventOf('job0.1'))
  // Left by a crash between the journal and the removal of the file.
  file('job1.1.json', eventOf('job1.1'))
  file('job2.1.json', eventOf('job2.1').slice(0, -1))
  file('job3.1.json', '')
  file('notes.json', '{"text":"hello"}')
  file('renamed.json', eventOf('other'))
  file('%2E.%2Fpasswd.json', eventOf('../passwd'))
  const { outbox, sent, send, lines } = await openOutbox(folder.path)
  expect(outbox.ids()).toEqual(['job1.1', '../passwd', 'job0.1'])
  await outbox.sendDue(send)
  expect(sent).toEqual(['job1.1', '../passwd', 'job0.1'].map(eventOf))
  expect((await readdir(folder.path)).sort()).toEqual(['journal', 'notes.json', 'renamed.json'])
  expect(lines.map((line) => line['file'])).toEqual([
    'job2.1.json',
    'job3.1.json',
    'notes.json',
    'renamed.json',
  ])
  expect(await restored(folder.path)).toEqual(['job1.1', '../passwd', 'job0.1'])
})

test('Outbox.close() leaves events in files, which the next run takes into the journal', async () => {
  using folder = temporaryFolder()
  const first = await openOutbox(folder.path)
  for (const id of ['a.1', 'b.1', 'c.1']) await first.outbox.put(id, eventOf(id))
  await first.outbox.acknowledge('b.1')
  await first.outbox.close()
  expect((await readdir(folder.path)).sort()).toEqual(['a.1.json', 'c.1.json', 'journal'])
  expect(readFileSync(join(folder.path, 'a.1.json'), 'utf8')).toBe(eventOf('a.1'))
  // An earlier release delivers one of them.
  unlinkSync(join(folder.path, 'a.1.json'))
  const { outbox } = await openOutbox(folder.path)
  expect(outbox.ids()).toEqual(['c.1'])
  expect(await readdir(folder.path)).toEqual(['journal'])
})

test('Outbox.setOwner() sets events of another driver aside, once, until that driver returns', async () => {
  using folder = temporaryFolder()
  const first = await openOutbox(folder.path)
  await first.outbox.setOwner('driver000000001')
  for (const id of ['job1.1', '../etc/passwd']) await first.outbox.put(id, eventOf(id))

  const same = await openOutbox(folder.path)
  await same.outbox.setOwner('driver000000001')
  expect(same.outbox.size).toBe(2)

  const other = await openOutbox(folder.path)
  await other.outbox.put('job2.1', eventOf('job2.1'))
  await other.outbox.setOwner('driver000000002')
  expect(other.outbox.ids()).toEqual(['job2.1'])
  expect(other.lines).toMatchObject([{ level: 'warn', count: 2, driver: 'driver000000001' }])
  const aside = ['%2E.%2Fetc%2Fpasswd.json.driver000000001', 'job1.1.json.driver000000001']
  expect((await readdir(folder.path)).sort()).toEqual([...aside, 'journal', 'owner'])

  const back = await openOutbox(folder.path)
  await back.outbox.setOwner('driver000000001')
  expect(back.outbox.ids().sort()).toEqual(['../etc/passwd', 'job1.1'])
  await back.outbox.sendDue(back.send)
  expect(back.sent.toSorted()).toEqual([eventOf('../etc/passwd'), eventOf('job1.1')])
  expect((await readdir(folder.path)).sort()).toEqual(['job2.1.json.driver000000002', 'journal', 'owner'])
})

test('Outbox keeps an event in memory while it cannot be written to disk', async () => {
  using folder = temporaryFolder()
  const { outbox, sent, send, lines } = await openOutbox(folder.path)
  await outbox.close()
  await outbox.put('job1.1', eventOf('job1.1'))
  for (let round = 0; round < 2; round++) {
    await outbox.sendDue(send)
    outbox.markDue()
  }
  expect(sent).toEqual([eventOf('job1.1'), eventOf('job1.1')])
  expect(lines).toMatchObject([{ level: 'error', event: 'job1.1' }])
  expect(await outbox.acknowledge('job1.1')).toBe(true)
})

test('Outbox keeps at most the newest event in memory, however long no event is sent', async () => {
  using folder = temporaryFolder()
  const { outbox, sent, send, lines } = await openOutbox(folder.path)
  const ids = ['a.1', 'b.1', 'c.1', 'd.1']
  for (const id of ids) await outbox.put(id, eventOf(id))
  for (const id of ['a.1', 'c.1', 'd.1']) damage(folder.path, id)
  await outbox.sendDue(send)
  // The damaged ones are dropped; of the newest the text in memory is sent.
  expect(sent).toEqual([eventOf('b.1'), eventOf('d.1')])
  expect(lines.map(({ event }) => event)).toEqual(['a.1', 'c.1'])
  expect(outbox.ids()).toEqual(['b.1', 'd.1'])
})

test('Outbox.open() reports an event that was cut off or damaged, and loads the others', async () => {
  using folder = temporaryFolder()
  const first = await openOutbox(folder.path)
  for (const id of ['a.1', 'b.1', 'c.1']) await first.outbox.put(id, eventOf(id))
  damage(folder.path, 'b.1')
  const { outbox, lines } = await openOutbox(folder.path)
  expect(outbox.ids()).toEqual(['a.1', 'c.1'])
  expect(lines).toMatchObject([{ level: 'warn', count: 1 }])
})

test('Outbox.put() right after acknowledge() of the same event stores it', async () => {
  using folder = temporaryFolder()
  const { outbox } = await openOutbox(folder.path)
  for (let round = 0; round < 50; round++) {
    await outbox.put('a.1', eventOf('a.1'))
    const settled = outbox.acknowledge('a.1')
    await Promise.all([outbox.put('a.1', eventOf('a.1')), outbox.put('a.1', eventOf('a.1')), settled])
    expect(await restored(folder.path)).toEqual(['a.1'])
    expect(await outbox.acknowledge('a.1')).toBe(true)
  }
})

test('Outbox.put() with isFlushedLater has written the event when it returns; flushed() waits for the disk', async () => {
  using folder = temporaryFolder()
  const { outbox, sent, send } = await openOutbox(folder.path)
  await outbox.put('a.1', eventOf('a.1'), { isFlushedLater: true })
  expect(await restored(folder.path)).toEqual(['a.1'])
  await outbox.sendDue(send)
  expect(sent).toEqual([eventOf('a.1')])
  await outbox.flushed()
})

test('Outbox.flushed() waits for pending writes', async () => {
  using folder = temporaryFolder()
  const { outbox } = await openOutbox(folder.path)
  const text = eventOf('x'.repeat(1_000_000))
  void outbox.put('a.1', text)
  void outbox.put('b.1', text)
  await outbox.flushed()
  expect(await restored(folder.path)).toEqual(['a.1', 'b.1'])
})
