import { expect, test } from 'bun:test'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Outbox } from '../../../src/driver/connection/outbox.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { recordedLog } from '../support/logs.ts'

function eventOf(id: string): string {
  return JSON.stringify({ type: 'JobResult', id, ts: '2026-01-31T09:00:00.000Z', payload: {} })
}

async function openOutbox(folder: string) {
  const clock = new FakeClock()
  const recorded = recordedLog()
  const outbox = await Outbox.open(folder, { clock, log: recorded.log })
  const sent: string[] = []
  const send = async (body: string) => {
    sent.push(body)
  }
  return { outbox, clock, sent, send, ...recorded }
}

test('Outbox.put() writes one file per event, without temporary files, readable by its owner only', async () => {
  using folder = temporaryFolder()
  const { outbox } = await openOutbox(join(folder.path, 'outbox'))
  await outbox.put('job1.1', eventOf('job1.1'))
  expect(await readdir(join(folder.path, 'outbox'))).toEqual(['job1.1.json'])
  expect(await readFile(join(folder.path, 'outbox/job1.1.json'), 'utf8')).toBe(eventOf('job1.1'))
  const { mode } = await Bun.file(join(folder.path, 'outbox/job1.1.json')).stat()
  expect(mode & 0o077).toBe(0)
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
  expect(await readdir(folder.path)).toEqual([])
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

test('Outbox.open() loads the events of an earlier run, drops incomplete ones and ignores other files', async () => {
  using folder = temporaryFolder()
  const first = await openOutbox(folder.path)
  await first.outbox.put('job1.1', eventOf('job1.1'))
  await writeFile(join(folder.path, 'job2.1.json'), eventOf('job2.1').slice(0, -1))
  await writeFile(join(folder.path, 'job3.1.json'), '')
  await writeFile(join(folder.path, 'notes.json'), '{"text":"hello"}')
  await writeFile(join(folder.path, 'renamed.json'), eventOf('other'))
  const { outbox, sent, send, lines } = await openOutbox(folder.path)
  expect(outbox.size).toBe(1)
  await outbox.sendDue(send)
  expect(sent).toEqual([eventOf('job1.1')])
  expect((await readdir(folder.path)).sort()).toEqual(['job1.1.json', 'notes.json', 'renamed.json'])
  expect(lines.map((line) => line['file'])).toEqual([
    'job2.1.json',
    'job3.1.json',
    'notes.json',
    'renamed.json',
  ])
})

test('Outbox.put() writes no file outside its folder, whatever the id', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'outbox')
  const ids = ['../../etc/passwd', '..', '.hidden', 'a/b', 'c*?', 'ü 1']
  const first = await openOutbox(path)
  for (const id of ids) await first.outbox.put(id, eventOf(id))
  expect(await readdir(folder.path)).toEqual(['outbox'])
  expect(await readdir(path)).toHaveLength(ids.length)
  const { outbox } = await openOutbox(path)
  expect(ids.filter((id) => outbox.has(id))).toEqual(ids)
})

test('Outbox.setOwner() sets events of another driver aside, once, until that driver returns', async () => {
  using folder = temporaryFolder()
  const first = await openOutbox(folder.path)
  await first.outbox.setOwner('driver000000001')
  await first.outbox.put('job1.1', eventOf('job1.1'))

  const same = await openOutbox(folder.path)
  await same.outbox.setOwner('driver000000001')
  expect(same.outbox.size).toBe(1)

  const other = await openOutbox(folder.path)
  await other.outbox.put('job2.1', eventOf('job2.1'))
  await other.outbox.setOwner('driver000000002')
  expect(other.outbox.has('job1.1')).toBe(false)
  expect(other.outbox.has('job2.1')).toBe(true)
  expect(other.lines).toMatchObject([{ level: 'warn', count: 1, driver: 'driver000000001' }])
  expect((await readdir(folder.path)).sort()).toEqual(['job1.1.json.driver000000001', 'job2.1.json', 'owner'])

  const back = await openOutbox(folder.path)
  await back.outbox.setOwner('driver000000001')
  expect(back.outbox.ids()).toEqual(['job1.1'])
  await back.outbox.sendDue(back.send)
  expect(back.sent).toEqual([eventOf('job1.1')])
  expect((await readdir(folder.path)).sort()).toEqual(['job1.1.json', 'job2.1.json.driver000000002', 'owner'])
})

test('Outbox.put() keeps an event in memory when it cannot be written to disk', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'outbox')
  const { outbox, sent, send, lines } = await openOutbox(path)
  // A folder in place of the file, which root cannot overwrite either.
  await mkdir(join(path, 'job1.1.json'))
  await outbox.put('job1.1', eventOf('job1.1'))
  await outbox.sendDue(send)
  expect(sent).toEqual([eventOf('job1.1')])
  expect(lines).toMatchObject([{ level: 'error', event: 'job1.1' }])
  expect(await outbox.acknowledge('job1.1')).toBe(true)
})

test('Outbox keeps at most the newest event in memory, however long no event is sent', async () => {
  using folder = temporaryFolder()
  const { outbox, sent, send } = await openOutbox(folder.path)
  for (const id of ['a.1', 'b.1', 'c.1']) await outbox.put(id, eventOf(id))
  for (const id of ['a.1', 'b.1', 'c.1']) await writeFile(join(folder.path, `${id}.json`), `file ${id}`)
  await outbox.sendDue(send)
  expect(sent).toEqual(['file a.1', 'file b.1', eventOf('c.1')])
})

test('Outbox.put() right after acknowledge() of the same event leaves its file', async () => {
  using folder = temporaryFolder()
  const { outbox } = await openOutbox(folder.path)
  for (let round = 0; round < 50; round++) {
    await outbox.put('a.1', eventOf('a.1'))
    const settled = outbox.acknowledge('a.1')
    await Promise.all([outbox.put('a.1', eventOf('a.1')), outbox.put('a.1', eventOf('a.1')), settled])
    expect(await readdir(folder.path)).toEqual(['a.1.json'])
    expect(await outbox.acknowledge('a.1')).toBe(true)
  }
})

test('Outbox drops an event whose file was removed, and sends the others', async () => {
  using folder = temporaryFolder()
  const { outbox, sent, send, lines } = await openOutbox(folder.path)
  for (const id of ['a.1', 'b.1']) await outbox.put(id, eventOf(id))
  await rm(join(folder.path, 'a.1.json'))
  for (let round = 0; round < 3; round++) await outbox.sendDue(send)
  expect(sent).toEqual([eventOf('b.1')])
  expect(outbox.ids()).toEqual(['b.1'])
  expect(lines).toMatchObject([{ level: 'error', event: 'a.1' }])
})

test('Outbox retries an event that cannot be read after a pause', async () => {
  using folder = temporaryFolder()
  const { outbox, clock, sent, send, lines } = await openOutbox(folder.path)
  for (const id of ['a.1', 'b.1']) await outbox.put(id, eventOf(id))
  const path = join(folder.path, 'a.1.json')
  await rm(path)
  // A folder in place of the file, which root cannot read either.
  await mkdir(path)
  for (let round = 0; round < 3; round++) await outbox.sendDue(send)
  expect(lines).toMatchObject([{ level: 'error', event: 'a.1' }])
  await rm(path, { recursive: true })
  await writeFile(path, eventOf('a.1'))
  await clock.advance(5_000)
  await outbox.sendDue(send)
  expect(sent).toEqual([eventOf('b.1'), eventOf('a.1'), eventOf('b.1')])
})

test('Outbox.flushed() waits for pending writes', async () => {
  using folder = temporaryFolder()
  const { outbox } = await openOutbox(folder.path)
  const text = eventOf('x'.repeat(1_000_000))
  void outbox.put('a.1', text)
  void outbox.put('b.1', text)
  await outbox.flushed()
  for (const id of ['a.1', 'b.1']) expect(await readFile(join(folder.path, `${id}.json`), 'utf8')).toBe(text)
})
