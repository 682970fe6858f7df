import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Role } from './addresses.ts'
import type { Stage } from './stage.ts'

/** The browser's storage after a login in this role. */
export function sessionOf(stage: Stage, role: Role): BrowserContextOptions {
  if (role === 'guest') return {}
  return role === 'user'
    ? sessionFor(stage.url, stage.user, 'users')
    : sessionFor(stage.url, stage.superuser, '_superusers')
}

/** The browser's storage after the login of an account. */
export function sessionFor(
  origin: string,
  { id, email, token }: { id: string; email: string; token: string },
  collectionName: 'users' | '_superusers',
): BrowserContextOptions {
  const record = { id, email, collectionName }
  const localStorage = [{ name: 'svc.session', value: JSON.stringify({ token, record }) }]
  return { storageState: { cookies: [], origins: [{ origin, localStorage }] } }
}

/** Opens an address and waits until everything on it has loaded. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await settle(page)
}

/** Waits for the heading, for data in the place of every skeleton, and for the fonts. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.skeleton, [aria-busy="true"]').length === 0)
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}
