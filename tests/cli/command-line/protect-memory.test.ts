import { expect, test } from 'bun:test'
import { join } from 'node:path'

const FILE = join(import.meta.dir, '../../../src/cli/command-line/protect-memory.ts')
/** What the code of a device could read. */
const PROGRAM = `
  const { dropCredentials } = await import(${JSON.stringify(FILE)})
  const kept = dropCredentials()
  const { readFileSync } = await import('node:fs')
  const kernel = process.platform === 'linux' ? readFileSync('/proc/self/environ', 'utf8') : ''
  console.log(JSON.stringify({ kept, own: process.env, kernel }))
`

test('a command that runs a device itself keeps no credentials of the shell, and what instruments need', async () => {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM], {
    env: { PATH: process.env['PATH'] ?? '', SVC_ACCESS_TOKEN: 'secret-of-a-driver', VISA_LIBRARY: '@py' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const read = await new Response(child.stdout).text()
  expect(read).not.toContain('secret-of-a-driver')
  const { kept, own, kernel } = JSON.parse(read)
  expect([kept.VISA_LIBRARY, own.VISA_LIBRARY]).toEqual(['@py', '@py'])
  if (process.platform === 'linux') expect(kernel).toContain('VISA_LIBRARY=@py')
})
