import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog, systemClock } from '../../../../src/base/index.ts'
import { LogStore } from '../../../../src/server/admin/logs/log-store.ts'
import { openTestServer } from '../../../support/server/server.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'

async function open() {
  const folder = temporaryFolder()
  const logs = new LogStore({ dir: join(folder.path, 'logs'), maxBytes: 1024 * 1024, clock: systemClock })
  logs.start()
  const log = createLog({ level: 'info', store: logs.write, write: () => undefined })
  const server = await openTestServer({ log, logs })
  return {
    log,
    server,
    async [Symbol.asyncDispose]() {
      await server.close()
      await logs.flush()
      folder[Symbol.dispose]()
    },
  }
}

type Lab = Awaited<ReturnType<typeof open>>

/** Follows the log; `text` grows with what arrives. */
function follow({ server }: Lab, query = '') {
  const end = new AbortController()
  const seen = { text: '', isOver: false, stop: () => end.abort() }
  const response = fetch(`${server.url}/api/op/logs/tail${query}`, {
    headers: { ...server.admin.headers },
    signal: end.signal,
  })
  void (async () => {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of (await response).body ?? [])
        seen.text += decoder.decode(chunk, { stream: true })
    } catch {
      // Ended by `stop`.
    }
    seen.isOver = true
  })()
  return { response, seen }
}

test('the log is listed with its fields, page by page, and wrong queries are refused by name', async () => {
  await using lab = await open()
  const { log, server } = lab
  for (const n of [1, 2, 3]) log.warn(`lamp ${n}`, { place: 'a', token: 'hidden' })
  const { body } = await server.admin.get('/api/op/logs?level=warn&text=lamp&limit=2')
  const { lines, next } = body as { lines: object[]; next: string }
  expect(lines).toMatchObject([
    { message: 'lamp 3', level: 'warn', place: 'a', token: '[redacted]' },
    { message: 'lamp 2' },
  ])
  const rest = await server.admin.get(`/api/op/logs?level=warn&text=lamp&before=${next}`)
  expect(rest.body).toMatchObject({ lines: [{ message: 'lamp 1' }], next: null })
  for (const query of ['level=loud', 'before=x', 'limit=0', 'from=soon', `text=${'x'.repeat(201)}`]) {
    const refused = await server.admin.get(`/api/op/logs?${query}`)
    expect([refused.status, Object.keys(refused.get('data') as object)]).toEqual([
      400,
      [query.slice(0, query.indexOf('='))],
    ])
  }
})

test('a text with quotes and backslashes is found as it was logged', async () => {
  await using lab = await open()
  const said = 'cannot read "C:\\lab\\chip.toml"'
  lab.log.warn(said)
  const found = async (text: string) => {
    const query = `level=warn&text=${encodeURIComponent(text)}`
    const { body } = await lab.server.admin.get(`/api/op/logs?${query}`)
    return (body as { lines: object[] }).lines
  }
  for (const text of [said, '"c:\\LAB', 'chip.toml"'])
    expect(await found(text)).toMatchObject([{ message: said }])
  expect(await found('"lab"')).toEqual([])
})

test('new lines are followed, at most by ten clients, until the server stops', async () => {
  const lab = await open()
  const { log } = lab
  const tails = Array.from({ length: 10 }, () => follow(lab, '?level=warn&text=lamp'))
  for (const { response } of tails) expect((await response).status).toBe(200)
  const eleventh = follow(lab)
  expect((await eleventh.response).status).toBe(429)
  await until('the refusal', () => eleventh.seen.text.includes('"code":"too_many_tails"'))
  log.info('lamp on')
  log.warn('a door')
  log.warn('lamp broken', { place: 'b' })
  for (const { seen } of tails) await until('the line', () => seen.text.includes('lamp broken'))
  expect(tails[0]?.seen.text.match(/^event: .*$/gm)).toEqual(['event: line'])
  expect(tails[0]?.seen.text).toContain('"place":"b"')
  tails[0]?.seen.stop()
  await until('a free place', async () => {
    const again = follow(lab)
    const { status } = await again.response
    again.seen.stop()
    return status === 200
  })
  await lab[Symbol.asyncDispose]()
  expect(tails.slice(1).every(({ seen }) => seen.isOver)).toBe(true)
})

test('lines are counted by level and interval', async () => {
  await using lab = await open()
  const { log, server } = lab
  const from = new Date(Date.now() - 60_000).toISOString()
  for (const n of [1, 2, 3]) log.warn(`lamp ${n}`, { level: 'error' })
  log.error('lamp broke')
  const to = new Date(Date.now() + 60_000).toISOString()
  const range = `from=${from}&to=${to}`
  const { body } = await server.admin.get(`/api/op/logs/histogram?${range}&buckets=4&text=LAMP`)
  const { buckets, step_ms, next } = body as {
    buckets: Record<string, number>[]
    step_ms: number
    next: null
  }
  const sum = (level: string) => buckets.reduce((total, each) => total + (each[level] ?? 0), 0)
  expect([buckets.length, next, sum('info'), sum('warn'), sum('error')]).toEqual([4, null, 0, 3, 1])
  expect(step_ms).toBeGreaterThanOrEqual(30_000)
  const errors = await server.admin.get(`/api/op/logs/histogram?${range}&level=error`)
  expect((errors.body as { buckets: object[] }).buckets).toHaveLength(60)
  expect(JSON.stringify(errors.body)).toContain('"warn":0,"error":1')
  const empty = await server.admin.get(`/api/op/logs/histogram?from=${to}&to=${from}`)
  expect([empty.status, Object.keys(Object(empty.get('data')))]).toEqual([400, ['to']])
})
