import { describe, expect, test } from 'bun:test'
import { LiveConfig, readConfig } from '../../../src/server/index.ts'
import { openTestServer } from '../../support/server/server.ts'

const configOf = (flags: Record<string, string> = {}) => readConfig({ flags, env: {} })

describe('LiveConfig', () => {
  test('replace() applies only reloadable settings and names what changed', () => {
    const live = new LiveConfig(configOf())
    let calls = 0
    const unsubscribe = live.subscribe(() => {
      calls += 1
    })
    expect(live.replace(configOf())).toEqual({ changed: [], needRestart: [] })
    expect(calls).toBe(0)
    const flags = { eventsRetention: '1h', userRate: '1:2', serverPort: '1' }
    expect(live.replace(configOf(flags))).toEqual({
      changed: ['userRate', 'eventsRetention'],
      needRestart: ['serverPort'],
    })
    expect(live.current.eventsRetention).toBe(3_600_000)
    expect(calls).toBe(1)
    // Settings that need a restart are named each time; those already in effect are not.
    expect(live.replace(configOf(flags))).toEqual({ changed: [], needRestart: ['serverPort'] })
    unsubscribe()
    live.replace(configOf())
    expect(calls).toBe(1)
  })

  test('superusers reload the settings, with an entry in the audit; wrong ones change nothing', async () => {
    await using server = await openTestServer()
    const reload = () => server.admin.post('/api/op/config/reload', {})
    expect((await reload()).body).toEqual({ changed: [], need_restart: [] })
    const audit = (await server.admin.get('/api/op/audit?action=config.reload')).body
    expect(audit).toMatchObject({ entries: [{ detail: { changed: [] } }] })
    const read: { next: () => ReturnType<typeof configOf> } = { next: () => configOf({ userRate: '1:1' }) }
    const live = new LiveConfig(configOf(), () => read.next())
    expect(live.reload()).toEqual({ changed: ['userRate'], needRestart: [] })
    read.next = () => configOf({ userRate: 'many' })
    expect(() => live.reload()).toThrow('--user-rate')
    expect(live.current.userRate).toMatchObject({ burst: 1 })
  })

  test('rates of a running server change with it', async () => {
    await using server = await openTestServer({ settings: { userRate: '0' } })
    const user = server.as(await server.createUser())
    const statuses = async () =>
      (await Promise.all([1, 2, 3].map(() => user.get('/api/qpus')))).map(({ status }) => status)
    expect(await statuses()).toEqual([200, 200, 200])
    server.context.live.replace(configOf({ userRate: '1:1' }))
    expect((await statuses()).toSorted()).toEqual([200, 429, 429])
  })
})
