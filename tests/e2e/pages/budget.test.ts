import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Request } from 'playwright-core'
import * as v from 'valibot'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { addressesOf, ROLES } from '../stage/addresses.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { open, sessionOf } from '../stage/visit.ts'

setDefaultTimeout(600_000)

/** Of a page with the frame around it. */
const MAX_REQUESTS = 20
const MAX_SCRIPTS = 12
/** Compressed bytes of the scripts of the overview. */
const MAX_SCRIPT_BYTES = 60_000
/** Panels ask when the data that they depend on have arrived. */
const QUIET_MS = 800

const chromium = findChromium()
const joined = v.object({ paths: v.array(v.string()) })

interface Visit {
  requests: string[]
  /** What was read, alone or joined with others. */
  reads: string[]
  scriptBytes: number
}

/** The paths that a request reads. */
function readsOf(request: Request): string[] {
  const { pathname, search } = new URL(request.url())
  if (request.method() === 'GET') return [pathname + search]
  return pathname === '/api/reads' ? v.parse(joined, request.postDataJSON()).paths : []
}

describe.skipIf(!chromium)('a page that opens for the first time', () => {
  let browser: Browser
  let stage: Stage

  beforeAll(async () => {
    ;[browser, stage] = await Promise.all([openBrowser(chromium ?? ''), openStage()])
  })
  afterAll(async () => {
    await stage.close()
    await browser.close()
  })

  async function visit(storage: object, path: string): Promise<Visit> {
    const requests: string[] = []
    const reads: string[] = []
    const sizes: Promise<number>[] = []
    const expected = [/status of 404/]
    await withPage(browser, { name: 'budget', baseURL: stage.url, expected, ...storage }, async (page) => {
      page.on('request', (request) => {
        requests.push(`${request.method()} ${new URL(request.url()).pathname}`)
        reads.push(...readsOf(request))
      })
      page.on('requestfinished', (request) => {
        if (request.url().endsWith('.js')) sizes.push(request.sizes().then((size) => size.responseBodySize))
      })
      await open(page, path)
      await page.waitForTimeout(QUIET_MS)
    })
    return { requests, reads, scriptBytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) }
  }

  /** A job or a calibration that goes on meanwhile is read again, which a second visit does not repeat. */
  async function problemsAt(session: object, path: string): Promise<string[]> {
    const first = problemsOf(path, await visit(session, path))
    if (first.length === 0) return []
    const again = problemsOf(path, await visit(session, path))
    return again.length === 0 ? [] : [...first, ...again.map((problem) => `again: ${problem}`)]
  }

  const problemsOf = (path: string, { requests, reads, scriptBytes }: Visit): string[] => {
    // The script of a thread is loaded beside the page.
    const scripts = requests.filter((each) => each.endsWith('.js') && !each.includes('-worker-'))
    const twice = reads.filter((each, at) => reads.indexOf(each) !== at)
    return [
      ...(requests.length > MAX_REQUESTS ? [`${requests.length} requests: ${requests.join(', ')}`] : []),
      ...(scripts.length > MAX_SCRIPTS ? [`${scripts.length} scripts: ${scripts.join(', ')}`] : []),
      ...twice.map((each) => `twice: ${each}`),
      ...(path === '/' && scriptBytes > MAX_SCRIPT_BYTES ? [`${scriptBytes} bytes of scripts`] : []),
    ].map((problem) => `${path}: ${problem}`)
  }

  test.each(ROLES)('asks for little, and for nothing twice, as a %s', async (role) => {
    const session = sessionOf(stage, role)
    // The account of a superuser is made at its first visit, which the lists of users report.
    await visit(session, '/')
    const problems: string[] = []
    for (const { path, roles } of addressesOf(stage)) {
      if (!roles.includes(role)) continue
      problems.push(...(await problemsAt(session, path)))
    }
    expect(problems).toEqual([])
  })
})
