import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser, overflowOf, resize, widestElements, withPage } from './browser.ts'
import { addressesOf, type Role } from './stage/addresses.ts'
import { CORPUS, hostile } from './stage/hostile-texts.ts'
import { type HostileStage, openHostileStage } from './stage/open-hostile-stage.ts'
import { open, sessionOf } from './stage/visit.ts'

// Rows H14 and H15 of docs/reference/faults.md, in a real browser.

const chromium = findChromium()
const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 900 }

describe.skipIf(!chromium)('a hostile text', () => {
  let browser: Browser
  let stage: HostileStage

  beforeAll(async () => {
    ;[browser, stage] = await Promise.all([openBrowser(chromium ?? ''), openHostileStage()])
  })
  afterAll(async () => {
    await stage.close()
    await browser.close()
  })

  /** Fails when anything of the corpus became an element, a link or a running script. */
  async function assertHarmless(page: Page, path: string): Promise<void> {
    const harm = await page.evaluate(() => ({
      elements: document.querySelectorAll('[data-harm]').length,
      links: document.querySelectorAll('[href^="javascript:" i], [src^="javascript:" i]').length,
      foreign: document.querySelectorAll('[src*="evil.example"]').length,
      harmed: Reflect.has(window, 'harmed'),
    }))
    expect({ path, ...harm }).toEqual({ path, elements: 0, links: 0, foreign: 0, harmed: false })
  }

  /** Visits every page of a role; returns those that are wider than the window. */
  async function visitAll(page: Page, role: Role): Promise<Record<string, string[]>> {
    const wide: Record<string, string[]> = {}
    for (const { name, path, roles } of addressesOf(stage)) {
      if (!roles.includes(role) || path.startsWith('/docs')) continue
      await open(page, path)
      await assertHarmless(page, path)
      for (const size of [DESKTOP, PHONE]) {
        await resize(page, size)
        if ((await overflowOf(page)) > 0) wide[`${name} at ${size.width} px`] = await widestElements(page)
      }
      await page.setViewportSize(DESKTOP)
    }
    return wide
  }

  const visit = (role: Role, run: (page: Page) => Promise<void>, expected: RegExp[] = [/status of 404/]) =>
    withPage(
      browser,
      {
        name: `hostile-${role}`,
        baseURL: stage.url,
        viewport: DESKTOP,
        expected,
        ...sessionOf(stage, role),
      },
      run,
    )

  test('is stored in every field that accepts text', () => {
    expect(stage.refused).toEqual([])
  })

  test('with a NUL is refused with the field and the remedy', async () => {
    const body = { title: 'a\0b', description: 'a' }
    const { status, body: answer } = await stage.service.call(
      'POST',
      '/api/collections/notifications/records',
      { token: stage.superuser.token, body },
    )
    expect({ status, answer }).toMatchObject({
      status: 400,
      answer: { data: { title: { message: expect.stringMatching(/U\+0000.*; remove it\.$/) } } },
    })
  })

  test.each(['user', 'superuser'] as const)('is only text on every page of a %s, and fits', (role) =>
    visit(role, async (page) => {
      expect(await visitAll(page, role)).toEqual({})
    }),
  )

  test('is shown, not hidden', () =>
    visit('user', async (page) => {
      await open(page, '/')
      await page
        .getByText(CORPUS[1] ?? '')
        .filter({ visible: true })
        .first()
        .waitFor()
      await open(page, `/jobs/${stage.jobs.waiting}`)
      await page
        .getByText(CORPUS[0] ?? '')
        .filter({ visible: true })
        .first()
        .waitFor()
      await open(page, `/jobs/${stage.jobs.failed}`)
      await page
        .getByText(CORPUS[0] ?? '')
        .filter({ visible: true })
        .first()
        .waitFor()
    }))

  test('in an address is only text, also on the pages of mailed links', () =>
    visit(
      'guest',
      async (page) => {
        const text = encodeURIComponent(hostile(3_000))
        for (const path of [
          `/jobs/${text}`,
          `/jobs?q=${text}&status=${text}&tag=${text}&user=${text}`,
          `/qpus/${text}?metric=${text}`,
          `/calibrations/${text}`,
          `/monitoring?driver=${text}&range=${text}`,
          `/jobs/new?from=${text}`,
          `/login?next=javascript:window.harmed=1&x=${text}`,
          `/${text}`,
          `/docs/${text}`,
          `/_/${text}`,
          `/api/account-links/password-reset?token=${text}`,
          `/api/account-links/email-change?token=${text}`,
          `/api/oauth2-redirect?state=${text}&error=${text}`,
        ]) {
          await page.goto(path)
          await assertHarmless(page, path)
        }
      },
      [/status of 4\d\d/],
    ))
})
