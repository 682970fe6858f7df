import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackedClient, readmeExample, run } from '../../support/clients/packed-client.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(300_000)

/** Runtimes as packages of npm, pinned, and how each runs a module; `bun` is that of the tests. */
const RUNTIMES = {
  'Node 20': { install: 'node@20.20.0', command: ['node_modules/.bin/node'] },
  'Node 24': { install: 'node@24.9.0', command: ['node_modules/.bin/node'] },
  Deno: {
    install: 'deno@2.9.6',
    command: ['node_modules/.bin/deno', 'run', '-A', '--node-modules-dir=manual'],
  },
  Bun: { install: undefined, command: [process.execPath] },
} as const

const { service, user } = await openFileService()
const temporary = temporaryFolder()
let app = ''

beforeAll(async () => {
  const qpu = await service.createQpu('kelvin')
  service.startDriver('kelvin', qpu, 'aer_sim')
  await service.untilOnline('kelvin')
  app = await installPackedClient(temporary.path)
  writeFileSync(join(app, 'example.mjs'), readmeExample())
})

afterAll(() => temporary[Symbol.dispose]())

describe('the example of the README', () => {
  test.each(Object.entries(RUNTIMES))('runs in %s', async (_, { install, command }) => {
    if (install) await run(['npm', 'install', '--silent', '--no-audit', '--no-save', install], app)
    const out = await run([...command, 'example.mjs'], app, {
      ...{ SVC_ADDR: service.url, SVC_API_TOKEN: user.token },
    })
    expect(out).toContain('completed')
    expect(out).toMatch(/00["']?: \d+/)
    expect(out).toMatch(/11["']?: \d+/)
  })
})
