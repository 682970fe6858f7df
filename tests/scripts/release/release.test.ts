import { expect, test } from 'bun:test'
import { join } from 'node:path'

const SCRIPT = join(import.meta.dir, '../../../scripts/release/release.ts')

async function release(...args: string[]) {
  const child = Bun.spawn([process.execPath, SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, out, err }
}

test.concurrent.each([
  [[], 'Give one version, not none\n\nUsage: npm run release -- VERSION'],
  [['2026.12.0', '2026.12.1'], 'Give one version, not 2026.12.0 and 2026.12.1\n\nUsage: '],
  [['--quik', '2026.12.0'], "Unknown option '--quik'\n\nUsage: "],
  [['2026.12.0', '--key'], "Option '--key <value>' argument missing\n\nUsage: "],
  [['2026.012.0'], '2026.012.0 is not a version such as 2026.12.0 or 2026.12.0-rc.1\n'],
  [['2001.1.0', '--quick'], 'svc 2001.1.0 cannot be released:\n'],
])('npm run release %p is refused with what to give', async (args, said) => {
  const { status, err } = await release(...args)
  expect(status).toBe(2)
  expect(err.slice(0, said.length)).toBe(said)
  expect(err).not.toContain('    at ')
})

test('npm run release -- --help prints the usage', async () => {
  const { status, out, err } = await release('--help')
  expect([status, err, out.split('\n')[0]]).toEqual([0, '', 'Usage: npm run release -- VERSION [options]'])
})
