import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configSource } from '../../../src/cli/command-line/server-config.ts'
import { LiveConfig, readConfig } from '../../../src/server/index.ts'
import { openTestServer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

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
    const live = new LiveConfig(configOf(), { read: () => read.next(), write: async () => true })
    expect(live.reload()).toEqual({ changed: ['userRate'], needRestart: [] })
    read.next = () => configOf({ userRate: 'many' })
    expect(() => live.reload()).toThrow('--user-rate')
    expect(live.current.userRate).toMatchObject({ burst: 1 })
  })

  test('change() writes one setting into the config file and applies it, or changes nothing', async () => {
    let file = '# of the lab\nuserRate: 10:20 # two laptops\nsiteName: Celsius\n'
    const flags = { submitRate: '1:1' }
    const read = (text = file) => readConfig({ flags, env: {}, file: { path: 'svc.config.yml', text } })
    const written = Promise.withResolvers<void>()
    const write = async (text: string, before: string) => {
      if (file !== before) return false
      file = text
      await written.promise
      return true
    }
    const live = new LiveConfig(read(), { read, write })
    const change = (name: 'userRate' | 'logLevel' | 'submitRate', value: string | null, before: string) =>
      live.change({ name, value, before })

    await expect(change('userRate', 'many', '10:20')).rejects.toMatchObject({
      code: 'invalid',
      fields: { value: { message: expect.stringContaining('line 2: userRate: bad value "many"; expected') } },
    })
    await expect(change('userRate', '5:5', '100:200')).rejects.toMatchObject({ reason: 'config_changed' })
    await expect(change('submitRate', '5:5', '1:1')).rejects.toMatchObject({
      reason: 'set_elsewhere',
      message: expect.stringContaining('--submit-rate'),
    })
    const first = change('userRate', '5:10', '10:20')
    await expect(change('logLevel', 'warn', 'info')).rejects.toMatchObject({ reason: 'config_changed' })
    written.resolve()
    expect(await first).toEqual({ changed: ['userRate'], needRestart: [] })
    expect(file).toBe('# of the lab\nuserRate: 5:10 # two laptops\nsiteName: Celsius\n')
    expect(live.current.userRate).toMatchObject({ burst: 10 })

    await change('logLevel', 'warn', 'info')
    await change('userRate', null, '5:10')
    expect(file).toBe('# of the lab\n\nsiteName: Celsius\nlogLevel: warn\n')
    expect(live.current.userRate).toMatchObject({ burst: 200 })
    file += 'userRate: 7:7\n'
    await expect(change('logLevel', 'info', 'warn')).rejects.toMatchObject({ reason: 'config_changed' })
  })

  test('change() does not overwrite what an editor saves while the new text is being written', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'svc.config.yml')
    writeFileSync(path, 'logLevel: info\n')
    const source = configSource({ configFile: path })
    const live = new LiveConfig(source.read(), source)
    const changed = live.change({ name: 'logLevel', value: 'warn', before: 'info' })
    writeFileSync(path, 'logLevel: info\nuserRate: 5:10\n')
    await expect(changed).rejects.toMatchObject({ reason: 'config_changed' })
    expect(readFileSync(path, 'utf8')).toBe('logLevel: info\nuserRate: 5:10\n')
    expect(readdirSync(folder.path)).toEqual(['svc.config.yml'])
    expect(live.current.logLevel).toBe('info')

    live.reload()
    await live.change({ name: 'logLevel', value: 'warn', before: 'info' })
    expect(readFileSync(path, 'utf8')).toBe('logLevel: warn\nuserRate: 5:10\n')
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
