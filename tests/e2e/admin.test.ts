import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { findChromium, openBrowser, withPage } from './browser.ts'
import { type Lab, openLab } from './lab.ts'

const chromium = findChromium()
const REFUSED = [/status of 400/]
/** While the database is replaced, requests are refused, and the stream of changes ends. */
const RESTORING = [/status of 503/, /^503 from /, /ERR_/]

describe.skipIf(!chromium)('the admin UI', () => {
  let browser: Browser
  let lab: Lab
  const made: Record<string, string> = {}

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    const create = async (collection: string, body: object) =>
      String((await lab.asAdmin('POST', `/api/collections/${collection}/records`, body))['id'])
    const driver = { name: 'thermometer', qpu: lab.qpu.id, operation: 'monitor', token: 'x'.repeat(64) }
    made['driver'] = await create('drivers', { ...driver, enabled: true })
    for (const title of ['Warm-up', 'Cool-down', 'Maintenance']) {
      made[title] = await create('notifications', { title, target_users: [lab.user.id] })
    }
    made['slot'] = await create('time_slots', {
      booked_by: lab.user.id,
      start_time: new Date(Date.now() + 3_600_000).toISOString(),
      end_time: new Date(Date.now() + 7_200_000).toISOString(),
    })
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const session = (token: string, record: object): BrowserContextOptions => ({
    timezoneId: 'Europe/Stockholm',
    storageState: {
      cookies: [],
      origins: [
        {
          origin: lab.url,
          localStorage: [{ name: 'svc.session', value: JSON.stringify({ token, record }) }],
        },
      ],
    },
  })
  const asSuperuser = (name: string, run: (page: Page) => Promise<void>, expected: RegExp[] = []) => {
    const record = { id: 'root', email: lab.admin.email, collectionName: '_superusers' }
    const options = session(lab.admin.token, record)
    return withPage(browser, { name, baseURL: lab.url, expected, ...options }, run)
  }
  const field = (page: Page, name: string) => page.locator(`.drawer [data-field="${name}"]`)
  const saved = (page: Page) =>
    page
      .getByText(/^(Saved|Created) /)
      .last()
      .waitFor()
  const record = async (collection: string, id: string) =>
    lab.asAdmin('GET', `/api/collections/${collection}/records/${id}`, undefined)

  test('guests log in, users are shown the way out', async () => {
    await withPage(browser, { name: 'admin-login', baseURL: lab.url }, async (page) => {
      await page.goto('/_/collections/users')
      await page.getByLabel('E-mail').fill(lab.admin.email)
      await page.getByLabel('Password').fill(lab.admin.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'users', exact: true }).waitFor()
    })
    const user = session(lab.user.token, { id: lab.user.id, email: lab.user.email, collectionName: 'users' })
    await withPage(browser, { name: 'admin-denied', baseURL: lab.url, ...user }, async (page) => {
      await page.goto('/_/backups')
      await page.getByRole('heading', { name: 'Only superusers may open this' }).waitFor()
      await page.getByRole('link', { name: 'Back to the dashboard' }).waitFor()
    })
  })

  test('a filter is completed, and a wrong field is underlined with its column', () =>
    asSuperuser(
      'admin-filter',
      async (page) => {
        await page.goto('/_/collections/notifications')
        await page.getByRole('textbox', { name: 'Filter of notifications' }).click()
        const filter = page.getByRole('combobox', { name: 'Filter of notifications' })
        await filter.pressSequentially('created > @todayStart && ti')
        await page.getByRole('option', { name: /^title/ }).waitFor()
        await filter.press('Tab')
        await filter.pressSequentially('~ "Warm"')
        await filter.press('Enter')
        await page.getByRole('row').nth(1).waitFor()
        await page.getByText('1 record matches the filter').waitFor()
        expect(new URL(page.url()).searchParams.get('filter')).toBe('created > @todayStart && title ~ "Warm"')

        await filter.press('ControlOrMeta+A')
        await filter.pressSequentially('title ~ "Warm" && tilte = "x"')
        await filter.press('Enter')
        await page.getByText('Column 19: There is no field "tilte" in notifications.').waitFor()
        expect(await page.locator('.cm-lintRange-error').innerText()).toBe('tilte')
        expect(await filter.getAttribute('aria-description')).toMatch(/^Column 19: /)
        // The list keeps its last result.
        expect(await page.getByRole('row').count()).toBe(2)
        await filter.press('ControlOrMeta+A')
        await filter.pressSequentially('title = = "x"')
        await filter.press('Enter')
        await page.getByText(/^Column 9: /).waitFor()
      },
      REFUSED,
    ))

  test('a filter is one line that the keyboard alone writes: / opens it, arrows choose, Escape closes', () =>
    asSuperuser('admin-filter-keys', async (page) => {
      await page.goto('/_/collections/notifications')
      await page.getByRole('textbox', { name: 'Filter of notifications' }).waitFor()
      await page.keyboard.press('/')
      // Letters that are shortcuts of the page outside of a field, typed while the editor loads.
      await page.keyboard.type('kjb')
      const filter = page.getByRole('combobox', { name: 'Filter of notifications' })
      await filter.waitFor()
      expect(await filter.innerText()).toBe('kjb')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('tit')
      await page.getByRole('option', { name: /^title/ }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('option', { name: '~ contains', exact: true }).waitFor()
      expect(await filter.getAttribute('aria-expanded')).toBe('true')
      await page.keyboard.press('Escape')
      await page.getByRole('option').first().waitFor({ state: 'hidden' })
      await page.keyboard.type('~')
      await page.evaluate(() => navigator.clipboard.writeText('"Warm" // why\n&& created\n> @yearStart'))
      await page.keyboard.press('ControlOrMeta+V')
      await page.keyboard.press('Shift+Enter')
      await page.getByText('1 record matches the filter').waitFor()
      expect(new URL(page.url()).searchParams.get('filter')).toBe('title ~"Warm"  && created > @yearStart')
      await page.getByRole('button', { name: 'Clear' }).click()
      expect(new URL(page.url()).searchParams.get('filter')).toBeNull()
    }))

  test('fields of each kind are edited, and only what changed is sent', () =>
    asSuperuser(
      'admin-fields',
      async (page) => {
        await page.goto(`/_/collections/qpus?record=${lab.qpu.id}`)
        await field(page, 'num_qubits').getByRole('textbox').fill('25')
        await field(page, 'num_qubits').getByText('was 24').waitFor()
        await field(page, 'maintenance_reason').getByRole('textbox').fill('warm-up')
        await field(page, 'maintenance').getByRole('checkbox').check()
        await field(page, 'device_config').getByRole('textbox').fill('{"a": [1,')
        await page.getByRole('button', { name: 'Save' }).click()
        // Save moves to the first error.
        await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'device_config')
        await field(page, 'device_config').getByRole('textbox').fill('{"a": [1, 2]}')
        await page.getByRole('button', { name: 'Save' }).click()
        await saved(page)
        expect(await record('qpus', lab.qpu.id)).toMatchObject({
          ...{
            num_qubits: 25,
            maintenance: true,
            maintenance_reason: 'warm-up',
            device_config: { a: [1, 2] },
          },
        })
        expect(await field(page, 'status').locator('output').innerText()).toBe('offline')

        await page.goto('/_/collections/thresholds?record=new')
        await field(page, 'name').getByRole('textbox').fill('Too warm')
        await field(page, 'channel').getByRole('textbox').fill('t4k')
        await field(page, 'limit').getByRole('textbox').fill('4.5')
        await page.getByRole('button', { name: 'Create' }).click()
        await field(page, 'driver').locator('.field-error').waitFor()
        await field(page, 'driver').getByRole('combobox').fill('therm')
        await page.getByRole('option', { name: /thermometer/ }).click()
        await field(page, 'kind').getByRole('combobox').selectOption('above')
        await field(page, 'notify').getByRole('combobox').fill('lindq')
        await page.getByRole('option', { name: /lindqvist/ }).click()
        await page.getByRole('button', { name: 'Create' }).click()
        await saved(page)
        const id = new URL(page.url()).searchParams.get('record') ?? ''
        expect(await record('thresholds', id)).toMatchObject({
          ...{ name: 'Too warm', limit: 4.5, kind: 'above', driver: made['driver'], notify: [lab.user.id] },
        })

        // Only what the server accepts is offered; webhooks have no form.
        await page.goto('/_/collections/quantum_jobs?record=new')
        await field(page, 'payload').waitFor()
        expect(await page.locator('.record-field').count()).toBe(3)
        await page.locator('.drawer').getByText('POST /api/jobs').waitFor()
        await page.goto('/_/collections/webhooks')
        await page.getByText('POST /api/webhooks').waitFor()
        expect(await page.getByRole('link', { name: 'New record' }).count()).toBe(0)

        await page.goto(`/_/collections/notifications?record=${made['Warm-up']}`)
        await field(page, 'start_time').getByRole('textbox').fill('2030-07-01 10:00')
        await field(page, 'start_time').getByText('2030-07-01 08:00:00 UTC').waitFor()
        await page.getByRole('button', { name: 'Discard', exact: true }).click()
        // A change and Esc in one turn, before anything is drawn: it still asks.
        await field(page, 'start_time')
          .getByRole('textbox')
          .evaluate((input: HTMLInputElement, value) => {
            input.focus()
            input.value = value
            input.dispatchEvent(new Event('input', { bubbles: true }))
            input.dispatchEvent(
              new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
            )
          }, '2030-07-01 10:00')
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
        await field(page, 'start_time').getByText('2030-07-01 08:00:00 UTC').waitFor()
        await page.getByRole('button', { name: 'Save' }).click()
        await saved(page)
        expect(await record('notifications', made['Warm-up'] ?? '')).toMatchObject({
          start_time: '2030-07-01 08:00:00.000Z',
        })

        await page.goto(`/_/collections/users?record=${lab.user.id}`)
        await field(page, 'password').locator('input').fill('a new password of the user')
        await page.getByRole('button', { name: 'Save' }).click()
        await saved(page)
        const body = { identity: lab.user.email, password: 'a new password of the user' }
        const login = await lab.service.call('POST', '/api/collections/users/auth-with-password', { body })
        expect(login.status).toBe(200)
        await page.getByRole('tab', { name: 'Relations' }).click()
        await page.getByRole('tabpanel').getByText('time_slots').waitFor()
        await page.getByRole('tab', { name: 'History' }).click()
        await page.getByRole('tabpanel').getByText('record.update').waitFor()
      },
      REFUSED,
    ))

  test('records appear without a reload, are exported, and deleted with what refers to them', () =>
    asSuperuser('admin-bulk', async (page) => {
      await page.goto('/_/collections/notifications?sort=title')
      await page.getByRole('row', { name: /Warm-up/ }).waitFor()
      await lab.asAdmin('POST', '/api/collections/notifications/records', { title: 'Another one' })
      await page.getByRole('row', { name: /Another one/ }).waitFor()

      await page.getByRole('checkbox', { name: `Select ${made['Warm-up']}` }).check()
      await page.getByRole('checkbox', { name: `Select ${made['Cool-down']}` }).check()
      await page.getByText('2 selected').waitFor()
      await page.getByRole('button', { name: 'Export…' }).click()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV' }).click()
      const text = await readFile(await (await download).path(), 'utf8')
      expect(text.trim().split('\n')).toHaveLength(3)
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByText('Nothing refers to them').waitFor()
      await page.getByRole('button', { name: 'Delete 2 records' }).click()
      await page.getByRole('row', { name: /Warm-up/ }).waitFor({ state: 'detached' })
      expect(await page.getByRole('row', { name: /Maintenance/ }).count()).toBe(1)

      await page.goto(`/_/collections/users?record=${lab.user.id}`)
      await page.locator('.drawer').getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('link', { name: '1 of time_slots' }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

      const path = '/api/collections/notifications/records'
      const id = String((await lab.asAdmin('POST', path, { title: 'Deleted elsewhere' }))['id'])
      await page.goto(`/_/collections/notifications?record=${id}`)
      await field(page, 'title').waitFor()
      await lab.asAdmin('DELETE', `${path}/${id}`, undefined)
      await page.getByText('This record does not exist.').waitFor()

      // A record that is changed no longer matches.
      const [, other] = await Promise.all(
        ['Counted once', 'Counted twice'].map((title) => lab.asAdmin('POST', path, { title })),
      )
      await page.goto(`/_/collections/notifications?filter=${encodeURIComponent('title ~ "Counted"')}`)
      await page.getByText('2 records match the filter').waitFor()
      await lab.asAdmin('PATCH', `${path}/${other?.['id']}`, { title: 'Another title' })
      await page.getByText('1 record matches the filter').waitFor()
    }))

  test('a backup is made, checked and restored; the pages of the server show what it does', () =>
    asSuperuser(
      'admin-server',
      async (page) => {
        await page.goto('/_/backups')
        await page.getByRole('button', { name: 'Make a backup' }).click()
        await page.getByRole('heading', { name: /^Made svc-/ }).waitFor()
        const name = (await page.locator('tbody th code').first().innerText()).trim()
        await lab.asAdmin('POST', '/api/collections/notifications/records', { title: 'After the backup' })
        await page.getByRole('button', { name: `Actions on ${name}` }).click()
        await page.getByRole('button', { name: 'Verify' }).click()
        await page.getByRole('heading', { name: `Checked ${name}` }).waitFor()
        await page.getByRole('button', { name: `Actions on ${name}` }).click()
        await page.getByRole('button', { name: 'Restore…' }).click()
        await page.getByLabel(/to confirm/).fill(name)
        await page.getByRole('button', { name: 'Restore', exact: true }).click()
        await page.getByRole('heading', { name: `Restored ${name}` }).waitFor({ timeout: 30_000 })
        const { body } = await lab.service.call<{ totalItems: number }>(
          'GET',
          `/api/collections/notifications/records?filter=${encodeURIComponent('title = "After the backup"')}`,
          { token: lab.admin.token },
        )
        expect(body.totalItems).toBe(0)

        await page.goto('/_/audit')
        await page.getByRole('button', { name: 'Verify the chain' }).click()
        await page.getByText(/none changed or removed/).waitFor()
        const head = await page.locator('.head code').innerText()
        await page.getByLabel('Head of an earlier check').fill(head)
        await page.getByRole('button', { name: 'Verify the chain' }).click()
        await page.getByText(/none changed or removed/).waitFor()
        await page.getByLabel('Action').fill('restore')
        await page.getByLabel('Action').press('Enter')
        await page.getByRole('row').nth(1).waitFor()

        await page.goto('/_/tasks')
        await page.getByRole('button', { name: /^Run now pruning/ }).click()
        await page.getByText('Runs now: pruning').waitFor()
        await page.goto('/_/logs')
        await page.getByText('backup operation succeeded').first().waitFor()
        await page.getByRole('button', { name: 'error', exact: true }).click()
        await page.getByText('No line matches in this time').waitFor()
        await page.goto('/_/settings?q=serverPort')
        await page
          .getByRole('row', { name: /serverPort/ })
          .getByText('--server-port')
          .waitFor()
        await page.getByRole('button', { name: 'Reload the config file' }).click()
        await page.getByText('Reloaded: nothing has changed.').waitFor()
        await page.goto('/_/api?collection=qpus')
        await page.getByText('/api/collections/qpus/records', { exact: true }).first().click()
        await page
          .getByText(/-H "Authorization: \$TOKEN"/)
          .or(page.getByText(/^curl/))
          .first()
          .waitFor()
      },
      RESTORING,
    ))

  test('a setting that may change while the server runs is changed on its page', () =>
    asSuperuser(
      'admin-change-setting',
      async (page) => {
        await page.goto('/_/settings?q=eventsRetention')
        await page.getByRole('button', { name: 'Change eventsRetention' }).click()
        const dialog = page.getByRole('dialog', { name: 'Change eventsRetention' })
        await dialog.getByLabel('Value').fill('long')
        await dialog.getByLabel('Value').press('Enter')
        await dialog.getByText(/line 1: eventsRetention: bad value "long"; expected/).waitFor()
        expect(await dialog.getByLabel('Value').getAttribute('aria-invalid')).toBe('true')
        await dialog.getByLabel('Value').fill('48h')
        await dialog.getByRole('button', { name: 'Change' }).click()
        await page.getByText('In force: eventsRetention.').waitFor()
        await page
          .getByRole('row', { name: /^eventsRetention/ })
          .getByText('svc.config.yml, line 1: eventsRetention')
          .waitFor()
        const audit = await lab.service.call('GET', '/api/op/audit?action=config.change', {
          token: lab.admin.token,
        })
        expect(audit.body).toMatchObject({
          entries: [{ subject: 'eventsRetention', detail: { value: '48h', before: '720h' } }],
        })
      },
      REFUSED,
    ))
})
