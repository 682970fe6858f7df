import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { SVC } from '../support/executable/service.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { findChromium, openBrowser, withPage } from './browser.ts'

const chromium = findChromium()
const EMAIL = 'first@lab.example'
const PASSWORD = 'the password of the first'

/** A new server without a superuser, and the link that it prints. */
async function openFresh() {
  const folder = temporaryFolder()
  const port = freePort()
  const flags = ['--server-port', String(port), '--https-port', '0']
  const server = Bun.spawn([SVC, 'serve', ...flags], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) printed += decoder.decode(chunk, { stream: true })
  }
  void collect(server.stdout)
  void collect(server.stderr)
  const link = await until('the set-up link', () => /http:\S+\/_\/setup#[0-9a-f]+/.exec(printed)?.[0])
  return {
    url: new URL(link).origin,
    link,
    async close() {
      server.kill('SIGTERM')
      await server.exited
      folder[Symbol.dispose]()
    },
  }
}

describe.skipIf(!chromium)('the set-up of a new server', () => {
  let browser: Browser
  let fresh: Awaited<ReturnType<typeof openFresh>>

  beforeAll(async () => {
    ;[browser, fresh] = await Promise.all([openBrowser(chromium ?? ''), openFresh()])
  })
  afterAll(async () => {
    await fresh.close()
    await browser.close()
  })

  test('the printed link creates the first superuser, once', async () => {
    const options = { name: 'setup', baseURL: fresh.url, expected: [/status of 40[03]/] }
    await withPage(browser, options, async (page) => {
      await page.goto('/_/setup')
      await page.getByRole('heading', { name: 'The setup link is incomplete' }).waitFor()

      await page.goto(`${fresh.url}/_/setup#${'0'.repeat(64)}`)
      await page.reload()
      const fill = async (email: string, password: string, repeated = password) => {
        await page.getByLabel('E-mail').fill(email)
        await page.getByLabel('Password', { exact: true }).fill(password)
        await page.getByLabel('Repeat the password').fill(repeated)
        await page.getByRole('button', { name: 'Create the superuser' }).click()
      }
      await page.goto('about:blank')
      await page.goto(`${fresh.url}/_/setup#${'0'.repeat(64)}`)
      await fill(EMAIL, PASSWORD)
      await page.getByRole('heading', { name: 'The setup link is used or has expired' }).waitFor()

      await page.goto('about:blank')
      await page.goto(fresh.link)
      await page.getByRole('heading', { name: 'Create the first superuser' }).waitFor()
      expect(page.url()).not.toContain('#')
      await fill(EMAIL, PASSWORD, 'another')
      await page.getByText('The passwords differ').waitFor()
      await fill(EMAIL, 'short')
      await page.locator('.field-error').first().waitFor()
      await fill(EMAIL, PASSWORD)
      await page.getByRole('heading', { name: 'Administration' }).waitFor()
      await page
        .getByRole('navigation', { name: 'Administration' })
        .getByText('users', { exact: true })
        .waitFor()
      expect(new URL(page.url()).pathname).toBe('/_/')
    })
    await withPage(browser, { name: 'setup-again', baseURL: fresh.url }, async (page) => {
      await page.goto(fresh.link)
      await page.getByText('This server is already set up').waitFor()
      await page.getByLabel('E-mail').fill(EMAIL)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'The setup is done' }).waitFor()
    })
  })
})
