import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page, Route } from 'playwright-core'
import { ADMIN_PAGES } from '../../../ui/admin/pages.ts'
import { PAGES } from '../../../ui/pages/index.ts'
import { FOREIGN_WORDS } from '../../support/executable/foreign-words.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab } from '../lab.ts'
import { sessionFor } from '../stage/visit.ts'

setDefaultTimeout(300_000)

const chromium = findChromium()
/** What a browser writes to its console of requests that fail. */
const PROVOKED = [/Failed to load resource/, /^50\d from /, /ERR_/]

/** What comes in the place of the responses of the server. */
const FAILURES: Record<string, (route: Route) => Promise<void>> = {
  'the connection is refused': (route) => route.abort('connectionrefused'),
  'the response is cut': (route) => route.fulfill({ status: 200, body: '{"items": [{"id": "' }),
  'a network asks for a login': (route) => route.fulfill({ status: 200, body: '<html>Sign in</html>' }),
  'a proxy responds': (route) => route.fulfill({ status: 502, body: '<html>Bad gateway</html>' }),
  'another version responds': (route) => route.fulfill({ status: 200, json: { other: 1 } }),
}

/** A field of the drawer of records. */
const field = (page: Page, name: string) =>
  page.locator(`.drawer [data-field="${name}"]`).getByRole('textbox')
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).filter({ visible: true }).last().click()
const choose = (page: Page, name: string, content: string | number[]) =>
  page
    .getByLabel('OpenQASM files')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content as string) })

/** An address, what is done on its page, and what the page says of it. */
type Row = [path: string, act: (page: Page, lab: Lab) => Promise<unknown>, says: RegExp | string]
const look = async () => undefined
/** Pages that name routes for those who program. */
const ROUTES = /\b(GET|POST|PUT|PATCH|DELETE) \/api\//

const AS_USER: Row[] = [
  ['/jobs/new', (page) => choose(page, 'three.bin', [0xff, 0, 0x81]), 'three.bin is binary data of 3 bytes'],
  [
    '/jobs/new',
    (page) => choose(page, 'receipt.json', '{"payload":"x","protected":"y","signature":"z"}'),
    'receipt.json is the receipt of a job, not an OpenQASM program',
  ],
  ['/jobs/new', (page) => choose(page, 'chip.device.json', '{"qubits": []}'), 'chip.device.json is JSON'],
  [
    '/jobs/new',
    (page) => choose(page, 'cut.qasm', 'OPENQASM 3.0;\nqubit[2] q;\nh q[0'),
    'but found the end of the program',
  ],
  ['/jobs/new?from=nothing', look, 'Could not load that job'],
  ['/jobs/nothing', look, 'There is no such job'],
  ['/qpus/nowhere', look, 'There is no QPU nowhere.'],
  ['/wall/nowhere', look, 'There is no QPU nowhere.'],
  ['/calibrations/nothing', look, 'There is no such calibration'],
  ['/bookings?qpu=kelvin&week=nothing', look, 'Your slots'],
  [
    '/qpu-time',
    async (page) => {
      await page.getByLabel('Amount').fill('1e9h')
      await page.getByLabel('Purpose').fill('x')
      await press(page, 'Send the request')
    },
    'Enter an amount such as',
  ],
  [
    '/settings/profile',
    async (page) => {
      await page.getByLabel('Current password').fill('not my password')
      await page.getByLabel('New password', { exact: true }).fill('the next password')
      await page.getByLabel('Repeat the new password').fill('the next password')
      await page.keyboard.press('Enter')
    },
    /^(Current )?password.*(wrong|not correct|invalid|match)/i,
  ],
  [
    '/settings/tokens',
    async (page) => {
      await press(page, 'New token')
      await page.getByLabel('Name').fill('a\u202eb')
      await press(page, 'Create')
    },
    'changes the direction of the text (U+202E)',
  ],
  [
    '/settings/webhooks',
    async (page) => {
      await press(page, 'New webhook')
      await page.getByLabel('Address').fill('http://127.0.0.1:9/hook')
      await press(page, 'Create')
    },
    'Expected an address such as https://example.org/path',
  ],
  [
    '/settings/webhooks',
    async (page) => {
      await press(page, 'New webhook')
      await page.getByLabel('Address').fill('https://nowhere.invalid/hook')
      await press(page, 'Create')
    },
    'The name nowhere.invalid has no address.',
  ],
  [
    '/settings/webhooks',
    async (page, { service }) => {
      await press(page, 'New webhook')
      await page.getByLabel('Address').fill(`https://127.0.0.1:${service.port}/hook`)
      await press(page, 'Create')
      await press(page, 'I have stored it')
      await press(page, 'Send a test')
    },
    'it does not speak TLS',
  ],
  ['/shared/nothing', look, 'This link is not valid'],
  ['/monitoring?from=x&to=y', look, 'Monitoring'],
]

const AS_SUPERUSER: Row[] = [
  ['/drivers/nothing', look, 'No such driver'],
  [
    '/users',
    async (page) => {
      await press(page, /^New user|Add a user|Invite/)
      await page.getByLabel('E-mail', { exact: true }).fill('lindqvist@lab.example')
      await press(page, /Create|Add/)
    },
    'Value must be unique.',
  ],
  ['/_/collections/nowhere', look, 'There is no collection'],
  ['/_/collections/users?filter=a%20%3D', look, /expected|missing|needs/i],
  ['/_/collections/users?record=nothing', look, 'This record does not exist.'],
  [
    '/_/collections/qpus?record=QPU',
    async (page) => {
      await field(page, 'device_config').fill('{"a": 1 "b"}')
      await press(page, 'Save')
    },
    'This is not JSON: see line 1, column 9.',
  ],
  [
    '/_/collections/qpus?record=QPU',
    async (page) => {
      await field(page, 'num_qubits').fill('five')
      await press(page, 'Save')
    },
    'This is not a number',
  ],
  [
    '/_/collections/qpus?record=QPU',
    async (page) => {
      await field(page, 'maintenance_reason').fill('a\u0001b')
      await press(page, 'Save')
    },
    'control character (U+0001)',
  ],
  [
    '/_/collections/notifications?record=new',
    async (page) => {
      await field(page, 'start_time').fill('soon')
      await press(page, /Create|Save/)
    },
    'This is not a time',
  ],
  ['/_/audit?action=%00', look, 'Audit'],
  ['/_/logs?q=%5B', look, 'Log'],
]

const WITHOUT_LOGIN: Row[] = [
  [
    '/login',
    async (page) => {
      await page.getByLabel('E-mail').fill('nobody@lab.example')
      await page.getByLabel('Password').fill('not a password')
      await page.keyboard.press('Enter')
    },
    /wrong|incorrect|not match|failed/i,
  ],
  ['/_/setup#token=nothing', look, 'already set up'],
  ['/shared/nothing', look, 'This link is not valid'],
  [
    '/api/account-links/password-reset?token=nothing',
    async (page) => {
      await page.getByLabel('New password').fill('a long password')
      await page.getByLabel('Repeat the password').fill('a long password')
      await press(page, 'Set password')
    },
    /expired|not valid|invalid/i,
  ],
  ['/api/account-links/verification?token=x', (page) => press(page, 'Confirm'), /expired|not valid|invalid/i],
  ['/login/reset', (page) => press(page, /Send|Request/), /./],
  ['/docs/nowhere', look, /no such|does not exist|no document|There is no/i],
]

describe.skipIf(!chromium)('pages have words of their own', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([
      openBrowser(chromium ?? ''),
      openLab(['--webhook-networks', '127.0.0.0/8']),
    ])
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const visit = (name: string, role: 'guest' | 'user' | 'superuser', run: (page: Page) => Promise<void>) => {
    const superuser = { ...lab.admin, id: 'root' }
    const session =
      role === 'guest'
        ? {}
        : sessionFor(
            lab.url,
            role === 'user' ? lab.user : superuser,
            role === 'user' ? 'users' : '_superusers',
          )
    return withPage(browser, { name, baseURL: lab.url, expected: PROVOKED, ...session }, run)
  }
  /** What the page says in words of others. */
  async function foreignWords(page: Page): Promise<string[]> {
    const text = await page.locator('body').innerText()
    return text.split('\n').filter((line) => [...FOREIGN_WORDS, ROUTES].some((words) => words.test(line)))
  }
  const settled = (page: Page) =>
    page.waitForFunction(() => document.querySelectorAll('.skeleton, [aria-busy="true"]').length === 0)

  test.each(Object.keys(FAILURES))('where %s, on each page', async (kind) => {
    const found: string[] = []
    await visit(`failures-${kind.replaceAll(' ', '-')}`, 'superuser', async (page) => {
      const fail = FAILURES[kind] ?? look
      await page.route(/\/api\/(?!realtime)/, fail)
      for (const { path, access } of [...PAGES, ...ADMIN_PAGES]) {
        if (access === 'guest' || path === '/licenses') continue
        await page.goto(path.replace(':name', 'kelvin').replace(':collection', 'users').replace(/:\w+/, 'x'))
        await page.getByRole('heading').first().waitFor()
        await settled(page)
        for (const line of await foreignWords(page)) found.push(`${path}: ${line}`)
      }
    })
    expect(found).toEqual([])
  })

  const rows = (role: 'guest' | 'user' | 'superuser', list: readonly Row[]) =>
    list.map(([path, act, says], at) => [role, path, at, act, says] as const)

  test.each([...rows('user', AS_USER), ...rows('superuser', AS_SUPERUSER), ...rows('guest', WITHOUT_LOGIN)])(
    '%s at %s (%i)',
    (role, path, at, act, says) =>
      visit(`wrong-${role}-${at}`, role, async (page) => {
        await page.goto(path.replace('QPU', lab.qpu.id))
        await settled(page)
        await act(page, lab)
        await page.getByText(says).filter({ visible: true }).first().waitFor({ timeout: 10_000 })
        await settled(page)
        if (process.env['SHOW']) console.log(`== ${path}\n${await page.locator('body').innerText()}`)
        expect(await foreignWords(page)).toEqual([])
      }),
  )

  test('a server that stops in mid-page', () =>
    visit('stopped', 'user', async (page) => {
      await page.goto('/settings/profile')
      await settled(page)
      const forms = await page.context().newPage()
      await forms.goto('/jobs/new?qpu=kelvin')
      await settled(forms)
      await lab.service.stop('SIGKILL')
      await press(forms, 'Submit')
      await forms.getByText('The server did not respond').first().waitFor()
      await press(page, 'Sign out everywhere')
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
      await page.getByText('The server did not respond').first().waitFor()
      await page.getByRole('link', { name: 'Bookings' }).first().click()
      await page.getByText('This page could not be loaded').waitFor()
      expect([await foreignWords(page), await foreignWords(forms)]).toEqual([[], []])
      await lab.service.start()
    }))
})
