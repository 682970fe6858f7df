import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { ADMIN_PAGES } from '../../../ui/admin/pages.ts'
import { PAGES } from '../../../ui/pages/index.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab } from '../lab.ts'
import { open, sessionFor } from '../stage/visit.ts'

setDefaultTimeout(300_000)

/** Of a page with the frame around it; the admin UI counts the records of each collection besides. */
const MAX_REQUESTS = { dashboard: 28, admin: 41 }
const MAX_SCRIPTS = 12
/** Compressed bytes of the scripts of the overview. */
const MAX_SCRIPT_BYTES = 60_000
/** Panels ask when the data that they depend on have arrived. */
const QUIET_MS = 800

const chromium = findChromium()

interface Visit {
  requests: string[]
  scriptBytes: number
}

describe.skipIf(!chromium)('a page that opens for the first time', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  async function visit(storage: object, path: string): Promise<Visit> {
    const requests: string[] = []
    const sizes: Promise<number>[] = []
    await withPage(browser, { name: 'budget', baseURL: lab.url, ...storage }, async (page) => {
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url())
        requests.push(`${request.method()} ${pathname}${search}`)
      })
      page.on('requestfinished', (request) => {
        if (request.url().endsWith('.js')) sizes.push(request.sizes().then((size) => size.responseBodySize))
      })
      await open(page, path)
      await page.waitForTimeout(QUIET_MS)
    })
    return { requests, scriptBytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) }
  }

  const problemsOf = (path: string, { requests, scriptBytes }: Visit): string[] => {
    const limit = MAX_REQUESTS[path.startsWith('/_') ? 'admin' : 'dashboard']
    // The script of a thread is loaded beside the page.
    const scripts = requests.filter((each) => each.endsWith('.js') && !each.includes('-worker-'))
    const twice = requests.filter((each, at) => each.startsWith('GET') && requests.indexOf(each) !== at)
    return [
      ...(requests.length > limit ? [`${requests.length} requests: ${requests.join(', ')}`] : []),
      ...(scripts.length > MAX_SCRIPTS ? [`${scripts.length} scripts: ${scripts.join(', ')}`] : []),
      ...twice.map((each) => `twice: ${each}`),
      ...(path === '/' && scriptBytes > MAX_SCRIPT_BYTES ? [`${scriptBytes} bytes of scripts`] : []),
    ].map((problem) => `${path}: ${problem}`)
  }

  test('asks for little, and for nothing twice', async () => {
    const { id, email } = lab.user
    const { body } = await lab.service.call<{ record: { id: string } }>(
      'POST',
      '/api/collections/_superusers/auth-refresh',
      { token: lab.admin.token },
    )
    const user = sessionFor(lab.url, lab.user, 'users')
    const superuser = sessionFor(lab.url, { ...lab.admin, id: body.record.id }, '_superusers')
    const job = await lab.submit()
    const examples = [`/jobs/${job}`, '/qpus/kelvin', '/_/collections/users']
    const pages = [...PAGES, ...ADMIN_PAGES].filter(
      ({ path }) => !path.includes(':') && !/^\/login/.test(path),
    )
    // The account of a superuser is made at its first visit, which the lists of users report.
    await visit(superuser, '/')
    const problems: string[] = []
    for (const path of [...pages.map((page) => page.path), ...examples]) {
      problems.push(...problemsOf(path, await visit(superuser, path)))
    }
    for (const path of ['/', '/jobs', '/jobs/new', `/jobs/${job}`, '/qpus/kelvin']) {
      problems.push(...problemsOf(`${path} of ${email}`, await visit(user, path)))
    }
    problems.push(...problemsOf('/', await visit({}, '/')))
    expect({ problems, id }).toEqual({ problems: [], id })
  })
})
