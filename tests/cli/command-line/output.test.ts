import { expect, test } from 'bun:test'
import { join } from 'node:path'

const OUTPUT = join(import.meta.dir, '../../../src/cli/command-line/output.ts')

test.each([
  ['an error', `setTimeout(() => { throw new TypeError('the cause') })`],
  ['a rejection', `Promise.reject(new TypeError('the cause'))`],
])('endOnUncaughtErrors() ends the process with 70 and the cause after %s', async (_, code) => {
  const program = `const { endOnUncaughtErrors } = await import(${JSON.stringify(OUTPUT)}); endOnUncaughtErrors(); ${code}`
  const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'ignore', 'pipe'] })
  expect(await new Response(child.stderr).text()).toContain('TypeError: the cause')
  expect(await child.exited).toBe(70)
})
