import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { findChromium, openBrowser, withPage } from '../../e2e/browser.ts'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(120_000)

const chromium = findChromium()

/** What a page does with the client; it ends with text. */
const PROGRAM = `
import { SvcClient } from '${join(import.meta.dir, '../../../clients/js/src/index.ts')}'

const bell = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'

globalThis.runBell = async (options) => {
  const svc = new SvcClient(options)
  try {
    const jobs = await Promise.all([1, 2, 3].map(() => svc.submitJob({ circuits: [bell], shots: 50 })))
    const keys = []
    for await (const job of svc.asCompleted(jobs)) keys.push(Object.keys((await job.result()).counts()).sort().join())
    return [...new Set(keys.join().split(','))].sort().join()
  } catch (error) {
    return error.name + ': ' + error.message
  }
}
`

describe.skipIf(!chromium)('in a page of another origin', () => {
  let browser: Browser
  let page: Bun.Server<undefined>
  const folder = temporaryFolder()

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    const entry = join(folder.path, 'page.ts')
    await Bun.write(entry, PROGRAM)
    const built = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true })
    const script = (await built.outputs[0]?.text()) ?? ''
    page = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) =>
        new URL(url).pathname === '/page.js'
          ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
          : new Response('<!doctype html><title>App</title><script type="module" src="/page.js"></script>', {
              headers: { 'content-type': 'text/html' },
            }),
    })
  })

  afterAll(async () => {
    await page.stop(true)
    await browser.close()
    folder[Symbol.dispose]()
  })

  async function runIn(
    flags: string[],
    name: string,
    expected: RegExp[],
  ): Promise<{ said: string; errors: string[] }> {
    using data = temporaryFolder()
    const service = await Service.install(data.path, { flags })
    await service.start()
    try {
      const user = await service.createUser(100)
      const qpu = await service.createQpu('kelvin')
      service.startDriver('kelvin', qpu, 'aer_sim')
      await service.untilOnline('kelvin')
      const errors: string[] = []
      let said = ''
      await withPage(browser, { name, baseURL: String(page.url), expected }, async (shown) => {
        shown.on('console', (message) => void errors.push(message.text()))
        await shown.goto('/')
        await shown.waitForFunction('globalThis.runBell')
        const options = { baseUrl: service.url, apiToken: user.token }
        said = await shown.evaluate(`globalThis.runBell(${JSON.stringify(options)})`)
      })
      return { said, errors }
    } finally {
      await service.close()
    }
  }

  test('jobs are submitted and awaited, with one stream for several', async () => {
    const origin = String(page.url).replace(/\/$/, '')
    expect(await runIn(['--cors-origins', origin], 'client-cors', [])).toEqual({ said: '00,11', errors: [] })
  })

  test('a server that does not allow the origin is reported as the README says', async () => {
    const { said, errors } = await runIn([], 'client-no-cors', [/CORS policy/, /net::ERR_FAILED/])
    expect(said).toMatch(/^ConnectionLostError: No response from http.* --cors-origins/)
    expect(said).toContain(`pages of ${String(page.url).replace(/\/$/, '')},`)
    const readme = await Bun.file(join(import.meta.dir, '../../../clients/js/README.md')).text()
    const [, sentence = 'none'] = /```\n(has been blocked .*)\n```/.exec(readme) ?? []
    expect(errors[0]).toContain(sentence)
  })
})
