import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { BELL } from '../../support/executable/service.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab } from '../lab.ts'
import { sessionFor } from '../stage/visit.ts'

const chromium = findChromium()
/** More rows than an element is there for. */
const JOBS = 90
const ROUNDS = 5

/** What happens to a list that somebody looks at; `at` is the place of a job or of the screen, 0 to 1. */
const change = fc.record({
  what: fc.constantFrom('submit', 'name', 'cancel', 'hold', 'release', 'next', 'delete', 'run', 'scroll'),
  at: fc.integer({ min: 0, max: 999 }).map((value) => value / 1_000),
})

describe.skipIf(!chromium)('a long list', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    await lab.connect(0.1)
    await drain(true)
    for (let at = 0; at < JOBS; at++) await submit({ name: at % 3 === 0 ? `sweep ${at}` : '' })
  }, 120_000)
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const call = (method: string, path: string, body?: unknown, token = lab.user.token) =>
    lab.service.call<{ id: string }[]>(method, path, { token, ...(method !== 'GET' && { body: body ?? {} }) })
  const submit = (more: object) =>
    call('POST', '/api/jobs', { circuits: [{ circuit: BELL }], qpu_target: lab.qpu.id, shots: 10, ...more })
  const jobs = async () => (await call('GET', '/api/jobs?limit=200&omit=payload,results')).body

  /** What a state of the job does not allow is refused, and changes nothing. */
  const changes: Record<string, (page: Page, id: string, at: number) => Promise<unknown>> = {
    submit: () => submit({ tags: ['late'] }),
    name: (_, id, at) => call('PATCH', `/api/jobs/${id}`, { name: `at ${at}`, tags: ['named'] }),
    cancel: (_, id) => call('POST', `/api/jobs/${id}/cancel`),
    hold: (_, id) => operate(`jobs/${id}/hold`),
    release: (_, id) => operate(`jobs/${id}/release`),
    next: (_, id) => operate(`jobs/${id}/run-next`),
    delete: (_, id) => call('DELETE', `/api/jobs/${id}`),
    run: runSome,
    scroll: (page, _, at) => scroll(page, at),
  }
  const operate = (path: string, body = {}) =>
    call('POST', `/api/op/${path}`, { reason: 'a test', ...body }, lab.admin.token)
  const drain = (on: boolean) => operate('qpu/drain', { name: 'kelvin', drain: on })
  async function runSome(page: Page): Promise<void> {
    await drain(false)
    await page.waitForTimeout(500)
    await drain(true)
  }
  const scroll = (page: Page, at: number) =>
    page.evaluate((part) => scrollTo(0, part * (document.body.scrollHeight - innerHeight)), at)

  /** What the rows on the screen show, and as what, by their places; the order of attributes says nothing. */
  const rowsOf = (page: Page) =>
    page.evaluate(() => {
      const shapeOf = (node: Node): unknown =>
        node instanceof Element
          ? [
              node.tagName,
              [...node.attributes].map(({ name, value }) => `${name}=${value}`).sort(),
              [...node.childNodes].map(shapeOf),
            ]
          : node.textContent
      const rows = [...document.querySelectorAll('table.long tbody tr[aria-rowindex]')].filter((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return bottom > 0 && top < innerHeight
      })
      return Object.fromEntries(rows.map((row) => [Number(row.getAttribute('aria-rowindex')), shapeOf(row)]))
    })

  test('shows after any changes what it shows when it is loaded afresh', () => {
    const session = sessionFor(lab.url, lab.user, 'users')
    return withPage(browser, { name: 'long-list', baseURL: lab.url, ...session }, async (page) => {
      await page.goto('/jobs')
      await page.locator('table.long [data-row]').nth(20).waitFor()
      const fresh = await page.context().newPage()
      const follow = async (drawn: { what: string; at: number }[], at: number) => {
        for (const { what, at: place } of drawn) {
          const listed = await jobs()
          await changes[what]?.(page, listed[Math.floor(place * listed.length)]?.id ?? '', place)
        }
        await scroll(page, at)
        let seen: [old: object, loaded: object] = [{}, {}]
        // Live changes arrive soon, and a fresh page loads its rows one after another.
        for (let attempt = 0; attempt < 20; attempt++) {
          await fresh.goto('/jobs')
          await fresh.locator('table.long [data-row]').nth(20).waitFor()
          await fresh.evaluate((top) => scrollTo(0, top), await page.evaluate(() => scrollY))
          await fresh.waitForTimeout(300 + 100 * attempt)
          seen = [await rowsOf(page), await rowsOf(fresh)]
          if (Bun.deepEquals(...seen)) break
        }
        const [old, loaded] = seen
        expect(Object.keys(loaded).length).toBeGreaterThan(10)
        expect(old).toEqual(loaded)
      }
      const several = fc.array(change, { minLength: 8, maxLength: 16 })
      const place = change.map(({ at }) => at)
      await fc.assert(fc.asyncProperty(several, place, follow), { numRuns: ROUNDS, endOnFailure: true })
    })
  })
})
