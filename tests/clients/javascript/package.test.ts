import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  installPackedClient,
  readmeExample,
  run,
  scriptsOf,
  TSC,
} from '../../support/clients/packed-client.ts'
import { startDemo } from '../../support/clients/running-demo.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(120_000)

/** The client as it is published, and a program that installs it, outside of the repository. */
const temporary = temporaryFolder()
afterAll(() => temporary[Symbol.dispose]())

test('the package installs, its types resolve, and the example of the README runs in Node', async () => {
  const { service, user } = await openFileService()
  const qpu = await service.createQpu('kelvin')
  service.startDriver('kelvin', qpu, 'aer_sim')
  await service.untilOnline('kelvin')
  const app = await installPackedClient(temporary.path)
  const example = readmeExample()
  writeFileSync(join(app, 'example.mjs'), example)
  writeFileSync(
    join(app, 'example.ts'),
    `export {}\ndeclare const console: { log(...items: unknown[]): void }\n${example}`,
  )
  const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', '']
  await run([TSC, ...strict, 'example.ts'], app)
  const out = await run(['node', 'example.mjs'], app, { SVC_ADDR: service.url, SVC_API_TOKEN: user.token })
  const counts = /\{[^}]*\}/.exec(out)?.[0] ?? ''
  expect(out).toContain('completed')
  expect(counts.match(/'(00|11)': \d+/g)).toHaveLength(2)
})

test('the page about the client runs as printed against svc demo', async () => {
  await using demo = await startDemo(temporary.path)
  const app = join(temporary.path, 'app')
  const blocks = scriptsOf('docs/how-to/use-the-javascript-client.md')
  expect(blocks.length).toBeGreaterThan(5)
  writeFileSync(join(app, 'page.mjs'), blocks.join('\n'))
  const out = await run(['node', 'page.mjs'], app, demo.account)
  expect(out).toMatch(/^\{ '(00|11)': \d+, '(00|11)': \d+ \}$/m)
  expect(out).toMatch(/^3\.1 0\.\d+$|^3\.1 1$/m)
  expect(out).toMatch(/^ +h q\n +\^/m)
})

test('everything is at most 12.5 KB compressed', async () => {
  const entry = join(import.meta.dir, '../../../clients/js/src/index.ts')
  const built = await Bun.build({ entrypoints: [entry], minify: true })
  const code = await built.outputs[0]?.arrayBuffer()
  expect(Bun.gzipSync(new Uint8Array(code ?? new ArrayBuffer())).length).toBeLessThan(12.5 * 1024)
})
