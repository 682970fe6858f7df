import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser } from '../e2e/browser.ts'
import { type OidcProvider, openOidcProvider } from '../support/server/oidc.ts'
import { openTestServer, type TestServer } from '../support/server/server.ts'

setDefaultTimeout(60_000)

const chromium = findChromium()
const SDK = join(import.meta.dir, '../../node_modules/pocketbase/dist/pocketbase.umd.js')

/** A third-party page with a login by the public SDK. */
function pageFor(url: string): string {
  return `<!doctype html><title>Lab page</title><link rel="icon" href="data:,">
<button>Log in</button><output></output>
<script src="/sdk.js"></script>
<script>
  const pb = new PocketBase(${JSON.stringify(url)})
  const show = (text) => { document.querySelector('output').textContent = text }
  document.querySelector('button').onclick = async () => {
    try {
      const { record, meta } = await pb.collection('users').authWithOAuth2({ provider: 'lab' })
      const own = await pb.collection('users').getOne(record.id)
      show(JSON.stringify({ email: own.email, name: meta.name, isNew: meta.isNew, isValid: pb.authStore.isValid }))
    } catch (error) {
      show(error.originalError?.message ?? error.message)
    }
  }
</script>`
}

let provider: OidcProvider
let server: TestServer
let browser: Browser
let site: Bun.Server<undefined>

describe.skipIf(!chromium)('authWithOAuth2() in a browser, from a page of another origin', () => {
  beforeAll(async () => {
    provider = await openOidcProvider({
      ada: { email: 'ada@lab.example', email_verified: true, name: 'Ada Lovelace' },
    })
    let url = ''
    site = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) =>
        new URL(request.url).pathname === '/sdk.js'
          ? new Response(Bun.file(SDK))
          : new Response(pageFor(url), { headers: { 'content-type': 'text/html' } }),
    })
    server = await openTestServer({
      settings: { oauth2Providers: JSON.stringify([provider.entry]), corsOrigins: site.url.origin },
    })
    url = server.url
    browser = await openBrowser(chromium ?? '')
  })

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
    await site?.stop(true)
  })

  /** A user with a fresh browser; requests of the provider's pages for remote fonts are blocked. */
  async function withBrowser(run: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext()
    context.setDefaultTimeout(45_000)
    await context.route(
      ({ hostname }) => hostname !== '127.0.0.1',
      (route) => route.abort(),
    )
    try {
      const page = await context.newPage()
      await page.goto(site.url.href)
      await run(page)
    } finally {
      await context.close()
    }
  }

  async function openPopup(page: Page): Promise<Page> {
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button').click()])
    return popup
  }

  async function outcome(page: Page): Promise<string> {
    const output = page.locator('output')
    await output.filter({ hasText: /./ }).waitFor()
    return (await output.textContent()) ?? ''
  }

  /** Logs in at the provider, consents, and passes the login on to the page; the window closes itself. */
  async function logIn(popup: Page): Promise<void> {
    await popup.locator('input[name=login]').fill('ada')
    await popup.locator('input[name=password]').fill('any')
    await popup.locator('button[type=submit]').click()
    await popup.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
    await popup.locator('button[type=submit]').click()
    await popup.getByRole('heading', { name: 'Pass on this login?' }).waitFor()
    await popup.getByText(site.url.origin).waitFor()
    const closed = popup.waitForEvent('close')
    await popup.getByRole('button', { name: 'Continue' }).click()
    await closed
  }

  test('the window closes itself and the page has an account, the same the next time', async () => {
    for (const isNew of [true, false]) {
      await withBrowser(async (page) => {
        await logIn(await openPopup(page))
        expect(JSON.parse(await outcome(page))).toEqual({
          email: 'ada@lab.example',
          name: 'Ada Lovelace',
          isNew,
          isValid: true,
        })
      })
    }
  })

  test('a login that the user cancels at the provider is reported', async () => {
    await withBrowser(async (page) => {
      const popup = await openPopup(page)
      await popup.getByText('Cancel').click()
      expect(await outcome(page)).toContain('access_denied')
    })
  })
})
