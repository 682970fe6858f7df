import { expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

interface Page {
  lines: { time: string; level: string; message: string }[]
}

async function messagesOf(service: Service, query: string): Promise<string[]> {
  const { body } = await service.call<Page>('GET', `/api/op/logs?${query}`, { token: await service.admin() })
  return body.lines.map(({ message }) => message)
}

test('the log of the executable survives restarts and kills, and contains no secret', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const { token } = await service.createQpu('north')
  await service.stop()
  await service.start()
  expect(await messagesOf(service, 'text=server st')).toEqual([
    'server started',
    'server stopped',
    'server started',
  ])
  // What was logged longer ago than the pause of the writer survives a kill.
  await until('the line in the file', async () => (await messagesOf(service, 'limit=1')).length === 1)
  await service.stop('SIGKILL')
  await service.start()
  expect((await messagesOf(service, 'text=server started')).length).toBe(3)
  const files = join(folder.path, 'svc_data/logs')
  const texts = await Promise.all(readdirSync(files).map((name) => Bun.file(join(files, name)).text()))
  expect(texts.join('')).not.toContain(token)
  expect(readdirSync(files).map((name) => statSync(join(files, name)).mode & 0o777)).toEqual([0o600])
})

test('--log-storage 0 stores nothing', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path, { flags: ['--log-storage', '0'] })
  await service.start()
  const { status, body } = await service.call<{ code: string }>('GET', '/api/op/logs', {
    token: await service.admin(),
  })
  expect([status, body.code]).toEqual([404, 'log_not_stored'])
  expect(existsSync(join(folder.path, 'svc_data/logs'))).toBe(false)
})
