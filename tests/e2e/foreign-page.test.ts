import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { BELL } from '../support/executable/service.ts'
import { findChromium, openBrowser, withPage } from './browser.ts'
import { type Lab, openLab, signIn } from './lab.ts'

// Row H14 of docs/reference/faults.md: a signed-in user opens the page of an attacker.

const chromium = findChromium()

describe.skipIf(!chromium)('a page of another origin', () => {
  let browser: Browser
  let lab: Lab
  /** Serves an empty page, in which the attacks below run. */
  let foreign: Bun.Server<undefined>

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab()
    const page = '<!doctype html><title>Win a prize</title>'
    foreign = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(page, { headers: { 'content-type': 'text/html' } }),
    })
  })

  afterAll(async () => {
    await foreign.stop(true)
    await lab.close()
    await browser.close()
  })

  /** The records of the user afterwards. */
  const count = async (path: string) => {
    const { body } = await lab.service.call<unknown[]>('GET', path, { token: lab.user.token })
    return body.length
  }

  test('reads and changes nothing, and cannot show the dashboard as its own', () =>
    withPage(
      browser,
      {
        name: 'foreign-page',
        baseURL: lab.url,
        expected: [/CORS policy/, /net::ERR/, /status of 40[013]/, /frame/i],
      },
      async (page) => {
        await signIn(page, lab.user)
        await page.goto(String(foreign.url))
        const outcomes = await page.evaluate(
          async ({ url, body }) => {
            const tried = async (run: () => Promise<unknown>) => {
              try {
                return await run()
              } catch (error) {
                return error instanceof Error ? error.name : 'error'
              }
            }
            const post = (path: string, init: RequestInit) =>
              tried(async () => {
                const response = await fetch(url + path, { method: 'POST', credentials: 'include', ...init })
                return response.type === 'opaque' ? 'sent blindly' : response.status
              })
            const frame = document.createElement('iframe')
            frame.src = url
            const shown = new Promise((resolve) => {
              frame.onload = resolve
            })
            document.body.append(frame)
            await shown
            const stream = new EventSource(`${url}/api/realtime`)
            const streamed = await new Promise((resolve) => {
              stream.onerror = () => resolve('refused')
              stream.onmessage = () => resolve('open')
              stream.addEventListener('PB_CONNECT', () => resolve('open'))
            })
            stream.close()
            return {
              'public data': await tried(async () => (await fetch(`${url}/api/qpus`)).text()),
              'with a custom header': await tried(async () =>
                (await fetch(`${url}/api/jobs`, { headers: { authorization: 'x' } })).text(),
              ),
              'a job as JSON': await post('/api/jobs', {
                body,
                headers: { 'content-type': 'application/json' },
              }),
              'a job as plain text': await post('/api/jobs', { body, mode: 'no-cors' }),
              'a token as a form': await post('/api/tokens', {
                body: new URLSearchParams({ name: 'mine' }),
                mode: 'no-cors',
              }),
              'the stream of changes': streamed,
              'its storage': localStorage.length,
            }
          },
          { url: lab.url, body: JSON.stringify({ circuits: [{ circuit: BELL }], shots: 1 }) },
        )
        expect(outcomes).toEqual({
          'public data': 'TypeError',
          'with a custom header': 'TypeError',
          'a job as JSON': 'TypeError',
          'a job as plain text': 'sent blindly',
          'a token as a form': 'sent blindly',
          'the stream of changes': 'refused',
          'its storage': 0,
        })
        // Chromium shows its own page in place of a refused frame.
        expect(page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/')
        // A form that the page submits automatically, with everything that the browser adds.
        await page.evaluate((url) => {
          const form = document.createElement('form')
          form.method = 'post'
          form.action = `${url}/api/tokens`
          form.enctype = 'text/plain'
          form.innerHTML = `<input name='{"name":"x","y":"' value='"}'>`
          document.body.append(form)
          form.submit()
        }, lab.url)
        await page.waitForURL('**/api/tokens')
        expect(await page.textContent('body')).toContain('Authentication required')
        expect([await count('/api/jobs'), await count('/api/tokens')]).toEqual([0, 0])
      },
    ))

  test('under another name of the same server has no session', () =>
    withPage(browser, { name: 'rebinding', baseURL: lab.url, expected: [/status of 401/] }, async (page) => {
      await signIn(page, lab.user)
      // As after DNS rebinding: another name for the same address.
      await page.goto(lab.url.replace('127.0.0.1', 'localhost'))
      await page.getByText('Sign in to see your jobs').waitFor()
      expect(await page.evaluate(async () => (await fetch('/api/jobs')).status)).toBe(401)
    }))
})
