import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { untilJob } from '../support/executable/job-calls.ts'
import { findChromium, openBrowser, withPage } from './browser.ts'
import { type Account, type Lab, openLab, signIn } from './lab.ts'

// Rows H14 and H15 of docs/reference/faults.md, in a real browser.
setDefaultTimeout(60_000)

const chromium = findChromium()

/** Each would leave an element with `data-harm`, or run, if a page interpreted it as markup. */
const CORPUS = [
  '<script data-harm>window.harmed=1</script>',
  '<img data-harm src=x onerror="window.harmed=1">',
  '"><svg data-harm onload=window.harmed=1>',
  "'><a data-harm href=javascript:window.harmed=1>x</a>",
  '</textarea></title></style><iframe data-harm srcdoc="<script>parent.harmed=1</script>"></iframe>',
  '{{constructor.constructor("window.harmed=1")()}}<b data-harm>',
  '&lt;img data-harm src=x onerror=window.harmed=1&gt;',
  '\u202e<details data-harm open ontoggle=window.harmed=1>\u0000',
]
const ALL = CORPUS.join(' ')

/** A device on a compromised machine: its results contain markup. */
const DEVICE = `
import { JobError } from 'svc/devices'
export const evil = () => ({
  async run(job) {
    const text = ${JSON.stringify(ALL)}
    if (job.payload.shots === 1) throw new JobError(text, { class: 'user' })
    const counts = Object.fromEntries(${JSON.stringify(CORPUS)}.map((key) => [key, 1]))
    const sizes = [[text, 1]]
    const header = { name: text, n_qubits: 1, memory_slots: 1, creg_sizes: sizes, qreg_sizes: sizes, metadata: { text } }
    const result = { shots: 8, counts, header, metadata: { text } }
    return { success: true, backend: text, shots: 8, counts, circuit_results: [result], metadata: { text } }
  },
})`

describe.skipIf(!chromium)('a hostile text', () => {
  let browser: Browser
  let lab: Lab
  const driver: Bun.Subprocess[] = []
  /** Jobs of the user: waiting, completed, failed. */
  const jobs: string[] = []

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab(['--site-name', '<b data-harm>site</b>'])
    writeFileSync(join(lab.service.folder, 'evil.js'), DEVICE)
    const qpu = await lab.service.createQpu('evil')
    driver.push(lab.service.startDriver('evil', qpu, './evil.js#evil'))
    await lab.service.untilOnline('evil')
    const program = `OPENQASM 3.0; // ${ALL.replaceAll('\0', '')}\nqubit q; bit c; c = measure q;`
    const submit = async (target: string, shots: number) => {
      const body = { circuits: [{ circuit: program }], shots, qpu_target: target }
      const created = await lab.service.call('POST', '/api/jobs', { token: lab.user.token, body })
      expect(created.status).toBe(201)
      return String(created.body['id'])
    }
    jobs.push(await submit('kelvin', 8), await submit('evil', 8), await submit('evil', 1))
    await untilJob(lab.service, lab.user.token, jobs[1] ?? '', ['completed'])
    await untilJob(lab.service, lab.user.token, jobs[2] ?? '', ['failed'])
    await soil()
  })

  afterAll(async () => {
    for (const each of driver) each.kill('SIGTERM')
    await lab.close()
    await browser.close()
  })

  /** Inserts the corpus into every text that a client can write. */
  async function soil(): Promise<void> {
    const records = (name: string) => `/api/collections/${name}/records`
    const change = (name: string, id: string, body: object) =>
      lab.asAdmin('PATCH', `${records(name)}/${id}`, body)
    await change('qpus', lab.qpu.id, { executor_type: CORPUS[1], device_config: { text: ALL } })
    await lab.asAdmin('POST', '/api/op/qpu/maintenance', { id: lab.qpu.id, maintenance: true, reason: ALL })
    await change('users', lab.user.id, { username: CORPUS[2] })
    for (const title of CORPUS) {
      await lab.asAdmin('POST', records('notifications'), { title, description: ALL })
    }
    const own = async (path: string, body: object) => {
      const created = await lab.service.call('POST', path, { token: lab.user.token, body })
      expect(created.status).toBeLessThan(300)
    }
    await own('/api/tokens', { name: ALL.slice(0, 255) })
    await own(records('qpu_time_requests'), { seconds: 5, requested_reason: ALL })
  }

  /** Fails when anything of the corpus became an element, a link or a running script. */
  async function assertHarmless(page: Page, path: string): Promise<void> {
    const harm = await page.evaluate(() => ({
      elements: document.querySelectorAll('[data-harm]').length,
      links: document.querySelectorAll('[href^="javascript:" i], [src^="javascript:" i]').length,
      harmed: Reflect.has(window, 'harmed'),
    }))
    expect({ path, ...harm }).toEqual({ path, elements: 0, links: 0, harmed: false })
  }

  /** The pages in the menu, and those of the jobs. */
  async function visitAll(page: Page): Promise<number> {
    const named = await page
      .getByRole('navigation')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    const paths = [...named, ...jobs.flatMap((id) => [`/jobs/${id}`, `/jobs/new?from=${id}`])]
    for (const path of new Set(paths)) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      await assertHarmless(page, path)
    }
    return paths.length
  }

  const signInAsAdmin = async (page: Page, { email, password }: Account) => {
    await page.goto('/login')
    await page.getByLabel('Administrator').check()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('banner').getByText('Administrator').waitFor()
  }

  const visit = (name: string, run: (page: Page) => Promise<void>, expected: RegExp[] = []) =>
    withPage(browser, { name, baseURL: lab.url, expected }, run)

  test('is only text on every page of the user', () =>
    visit('hostile-text', async (page) => {
      await signIn(page, lab.user)
      expect(await visitAll(page)).toBeGreaterThan(6)
      // The pages do show it.
      await page.goto('/')
      await page.getByText(CORPUS[1] ?? '', { exact: true }).waitFor()
      await page.goto(`/jobs/${jobs[0]}`)
      expect(await page.getByLabel('Program', { exact: true }).last().textContent()).toContain(
        CORPUS[0] ?? '',
      )
      await page.goto(`/jobs/${jobs[2]}`)
      await page.getByText('Failed.').waitFor()
    }))

  test('is only text on every page of an administrator', () =>
    visit('hostile-text-admin', async (page) => {
      await signInAsAdmin(page, lab.admin)
      await visitAll(page)
    }))

  test('in an address is only text, also on the pages of mailed links', () =>
    visit(
      'hostile-address',
      async (page) => {
        const text = encodeURIComponent(ALL.replaceAll('\0', ''))
        for (const path of [
          `/jobs/${text}`,
          `/jobs/new?from=${text}`,
          `/login?next=javascript:window.harmed=1&x=${text}`,
          `/${text}`,
          `/api/account-links/password-reset?token=${text}`,
          `/api/account-links/email-change?token=${text}`,
          `/api/oauth2-redirect?state=${text}&error=${text}`,
        ]) {
          await page.goto(path)
          await assertHarmless(page, path)
        }
      },
      [/status of 40[04]/],
    ))
})
