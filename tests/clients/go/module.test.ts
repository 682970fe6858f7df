import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GO_CLIENT, goBlocksOf, gofmt, hasGo, openGoModule, runGo } from '../../support/clients/go.ts'
import { startDemo } from '../../support/clients/running-demo.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// The first run compiles the standard library, once more for the race detector.
setDefaultTimeout(900_000)

describe.skipIf(!hasGo)('the Go client', () => {
  const temporary = temporaryFolder()
  afterAll(() => temporary[Symbol.dispose]())

  test('is formatted, and passes go vet', async () => {
    const unformatted = Bun.spawnSync([await gofmt(), '-l', '.'], { cwd: GO_CLIENT })
    expect(unformatted.stdout.toString()).toBe('')
    await runGo(['vet', './...'])
  })

  test('passes its tests, with the race detector where a C compiler is', async () => {
    const race = Bun.which('gcc') ? ['-race'] : []
    expect(await runGo(['test', '-count=1', ...race, './...'])).toContain('ok')
  })

  test('is taken from its packed module; its README and its page run as printed against svc demo', async () => {
    await using demo = await startDemo(temporary.path)
    const { app, env } = await openGoModule(temporary.path)
    const runAs = async (code: string) => {
      writeFileSync(join(app, 'main.go'), code)
      return await runGo(['run', '.'], { cwd: app, env: { ...env, ...demo.account } })
    }
    expect(await runAs(goBlocksOf('clients/go/README.md'))).toMatch(/^map\[00:\d+ 11:\d+\]$/m)
    const out = await runAs(goBlocksOf('docs/how-to/use-the-go-client.md'))
    expect(out).toMatch(/^map\[00:\d+ 11:\d+\]$/m)
    expect(out).toMatch(/^3\.1 (0\.\d+|1)$/m)
    expect(out).toMatch(/^ +h q\n +\^/m)
  })
})
