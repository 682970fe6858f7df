import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..')

test('the generated reference is fresh', async () => {
  const check = Bun.spawn([process.execPath, 'run', 'scripts/build-docs.ts', '--check'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  expect(await new Response(check.stderr).text()).toBe('')
  expect(await check.exited).toBe(0)
}, 30_000)

test('every link between pages leads to a file', () => {
  const broken: string[] = []
  for (const page of ['README.md', 'CONTRIBUTING.md', ...new Glob('docs/**/*.md').scanSync({ cwd: ROOT })]) {
    const text = readFileSync(join(ROOT, page), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      const isLocal = !/^[a-z]+:/.test(target)
      if (isLocal && !existsSync(join(ROOT, dirname(page), target))) broken.push(`${page}: ${target}`)
    }
  }
  expect(broken).toEqual([])
})

test('the three flows of the style guide are walkable: each named file and function exists', () => {
  const pages = ['docs/explanation/state-machines.md', 'docs/explanation/flows.md']
  const text = pages.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n')
  const missing: string[] = []
  for (const [, file = '', name = ''] of text.matchAll(
    /`((?:server|db|driver|devices|protocol|ui)\/[\w/.-]+\.tsx?):?(\w*)`/g,
  )) {
    const path = join(ROOT, file.startsWith('ui/') ? '' : 'src', file)
    if (!existsSync(path)) missing.push(file)
    else if (name !== '' && !new RegExp(`\\b${name}\\b`).test(readFileSync(path, 'utf8'))) {
      missing.push(`${file}:${name}`)
    }
  }
  expect(missing).toEqual([])
})
