import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { type OidcProvider, openOidcProvider } from '../../support/server/oidc.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab, signIn } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('login', () => {
  let browser: Browser
  let provider: OidcProvider
  let lab: Lab
  let providersOnly: Lab

  beforeAll(async () => {
    provider = await openOidcProvider({
      ada: { email: 'ada@lab.example', email_verified: true, name: 'Ada Lovelace' },
    })
    const providers = ['--oauth2-providers', JSON.stringify([provider.entry])]
    const [first, second, third] = await Promise.all([
      openBrowser(chromium ?? ''),
      openLab([...providers, '--allow-signup']),
      openLab([...providers, '--disable-email-password-auth']),
    ])
    browser = first
    lab = second
    providersOnly = third
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([lab?.close(), providersOnly?.close()])
    await provider?.[Symbol.asyncDispose]()
  })

  const visit = (name: string, at: () => Lab, run: (page: Page) => Promise<void>, expected: RegExp[] = []) =>
    withPage(browser, { name, baseURL: at().url, expected }, run)

  /** Logs in at the provider and consents; the window closes itself. */
  async function atProvider(page: Page, button: string): Promise<void> {
    // The pages of the provider ask for a font of another machine.
    await page.context().route(
      ({ hostname }) => hostname !== '127.0.0.1',
      (route) => route.abort(),
    )
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: button }).click(),
    ])
    await popup.locator('input[name=login]').fill('ada')
    await popup.locator('input[name=password]').fill('any')
    await popup.locator('button[type=submit]').click()
    await popup.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
    const closed = popup.waitForEvent('close')
    await popup.locator('button[type=submit]').click()
    await closed
  }

  test('without password login, a user signs in at the provider and returns to the page asked for', () =>
    visit(
      'oauth2',
      () => providersOnly,
      async (page) => {
        await page.goto('/jobs/new?from=nothing')
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        expect(await page.getByLabel('Password').count()).toBe(0)
        await atProvider(page, 'Sign in with Lab login')
        await page.getByRole('button', { name: 'ada@lab.example' }).waitFor()
        expect(new URL(page.url()).pathname).toBe('/jobs/new')
        // The session is shared with other tabs, and so is its end.
        const other = await page.context().newPage()
        await other.goto('/settings/profile')
        await other.getByRole('row', { name: 'Lab login' }).waitFor()
        await page.getByRole('button', { name: 'ada@lab.example' }).click()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await other.getByRole('heading', { name: 'Sign in' }).waitFor()
      },
      [/./],
    ))

  test('without password login, superusers still sign in with theirs', () =>
    visit(
      'superuser',
      () => providersOnly,
      async (page) => {
        await page.goto('/login')
        await page.getByRole('button', { name: 'Sign in as a superuser' }).click()
        await page.getByLabel('E-mail').fill(providersOnly.admin.email)
        await page.getByLabel('Password').fill(providersOnly.admin.password)
        await page.keyboard.press('Enter')
        await page.getByRole('banner').getByText('Superuser').waitFor()
        await page.getByRole('navigation', { name: 'Pages' }).getByText('Administration').waitFor()
      },
    ))

  test('a login that is cancelled at the provider says so', () =>
    visit(
      'oauth2-cancel',
      () => lab,
      async (page) => {
        await page.goto('/login')
        await page.context().route(
          ({ hostname }) => hostname !== '127.0.0.1',
          (route) => route.abort(),
        )
        const [popup] = await Promise.all([
          page.waitForEvent('popup'),
          page.getByRole('button', { name: 'Sign in with Lab login' }).click(),
        ])
        await popup.getByText('Cancel').click()
        await page.getByText('The login was cancelled at the provider').waitFor()
      },
      [/./],
    ))

  test('a guest signs up and lands on the page asked for; the second attempt names the field', () =>
    visit(
      'sign-up',
      () => lab,
      async (page) => {
        await page.goto('/jobs/new')
        await page.getByRole('link', { name: 'Create one' }).click()
        // The login page also asks for an address, and remains until the code of the next page has arrived.
        await page.getByRole('heading', { name: 'Create an account' }).waitFor()
        await page.getByLabel('E-mail').fill('eve@lab.example')
        await page.getByLabel('Password', { exact: true }).fill('a long password')
        await page.getByLabel('Repeat the password').fill('another password')
        await page.keyboard.press('Enter')
        await page.getByText('The passwords differ').waitFor()
        await page.getByLabel('Repeat the password').fill('a long password')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'New job' }).waitFor()
        await page.getByRole('button', { name: 'eve@lab.example' }).click()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.goto('/login/sign-up')
        await page.getByRole('heading', { name: 'Create an account' }).waitFor()
        await page.getByLabel('E-mail').fill('eve@lab.example')
        await page.getByLabel('Password', { exact: true }).fill('a long password')
        await page.getByLabel('Repeat the password').fill('a long password')
        await page.keyboard.press('Enter')
        await page.locator('.field.invalid').getByLabel('E-mail').waitFor()
      },
      [/400/],
    ))

  test('a link that an operator passes on sets a new password, with which the user signs in', () =>
    visit(
      'reset',
      () => lab,
      async (page) => {
        await page.goto('/login')
        await page.getByRole('link', { name: 'Forgot your password?' }).click()
        await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
        await page.getByLabel('E-mail').fill(lab.user.email)
        await page.getByRole('button', { name: 'Send a link' }).click()
        // The answer is the same whether or not the account exists or mail is configured.
        await page.getByText('is on its way').waitFor()
        const { link } = await lab.asAdmin('POST', '/api/op/account-links', {
          collection: 'users',
          id: lab.user.id,
          purpose: 'password_reset',
        })
        const { pathname, search } = new URL(String(link))
        await page.goto(pathname + search)
        const fields = page.locator('input[type=password]')
        await fields.nth(0).fill('a new password of the lab')
        await fields.nth(1).fill('a new password of the lab')
        await page.getByRole('button').click()
        lab.user.password = 'a new password of the lab'
        await signIn(page, lab.user)
      },
    ))
})
