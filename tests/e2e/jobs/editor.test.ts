import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser, type PageOptions, withPage } from '../browser.ts'
import { type Lab, openLab, signIn } from '../lab.ts'
import { writeChip } from '../stage/chip-file.ts'

const chromium = findChromium()
const HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n'
const BROKEN = `${HEAD}qubit[2] q;\nbit[2] c;\nh q[0];\nc = measure qq;\n`

describe.skipIf(!chromium)('the form of a job', () => {
  let browser: Browser
  let lab: Lab
  let chip: Bun.Subprocess

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    const file = join(lab.service.folder, 'scheduler.device.yml')
    writeChip(file, 1, 3)
    const qpu = await lab.service.createQpu('noisy')
    chip = lab.service.startDriver('noisy', qpu, 'aer_sim', [`noise=${file}`])
    await Promise.all([lab.connect(), lab.service.untilOnline('noisy')])
  })
  afterAll(async () => {
    chip.kill('SIGTERM')
    await chip.exited
    await lab.close()
    await browser.close()
  })

  const visit = (name: string, run: (page: Page) => Promise<void>, options: Partial<PageOptions> = {}) =>
    withPage(browser, { name, baseURL: lab.url, ...options }, async (page) => {
      await signIn(page, lab.user)
      await page.goto('/jobs/new')
      await run(page)
    })
  /** The highlighting editor; a plain text field stands there until it has loaded. */
  const program = (page: Page) => page.locator('.cm-content')
  const load = (page: Page, text: string) =>
    page
      .getByLabel('OpenQASM files')
      .setInputFiles({ name: 'one.qasm', mimeType: 'text/plain', buffer: Buffer.from(text) })
  /** The editor shows the line of the caret in the next frame. */
  const untilCaretIn = (page: Page, line: string) =>
    page.locator('.cm-activeLine', { hasText: line }).waitFor()

  test('letters that open pages elsewhere are text in the editor', () =>
    visit('editor-letters', async (page) => {
      await load(page, HEAD)
      await program(page).click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.type('bn go/jkx?')
      await program(page).getByText('bn go/jkx?').waitFor()
      expect(new URL(page.url()).pathname).toBe('/jobs/new')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('qubit q;')
      await program(page).getByText('qubit q;', { exact: true }).waitFor()
    }))

  test('problems are listed while typing, link to their place and offer what certainly is meant', () =>
    visit('editor', async (page) => {
      await load(page, BROKEN.replace('qq', 'q'))
      await program(page).getByText('measure q;').click()
      await page.keyboard.press('End')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.type('q')
      await page.getByText('"qq" is not declared').waitFor()
      await page.getByText('line 6', { exact: true }).waitFor()
      const submit = page.getByRole('button', { name: 'Submit' })
      expect(await submit.getAttribute('aria-disabled')).toBe('true')
      await page.locator('.cm-line').first().click()
      await untilCaretIn(page, 'OPENQASM 3.0;')
      await page.getByRole('button', { name: 'line 6, column 13' }).click()
      await untilCaretIn(page, 'c = measure qq;')
      await page.locator('.cm-line').first().click()
      await untilCaretIn(page, 'OPENQASM 3.0;')
      await page.keyboard.press('Control+Enter')
      await untilCaretIn(page, 'c = measure qq;')
      expect(new URL(page.url()).pathname).toBe('/jobs/new')
      await page.getByRole('button', { name: 'Use q' }).click()
      await page.getByText('"qq" is not declared').waitFor({ state: 'detached' })

      // The symbols of the diagram and the lines of the program refer to each other.
      const gate = page.getByRole('img', { name: /^Circuit on 2 qubits/ }).locator('[data-line="5"]')
      await gate.hover()
      await page.locator('.cm-found').getByText('h q[0];').waitFor()
      await page.locator('.cm-line').nth(5).click()
      await page.locator('.step.found[data-line="6"]').first().waitFor()

      // The draft survives a reload of the tab.
      await page.reload()
      await program(page).getByText('c = measure q;').waitFor()
      await page.getByLabel('Name').fill('checked')
      await page.getByLabel('Tags').fill('one, two')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('heading', { name: 'checked' }).waitFor()
      await page.getByRole('link', { name: 'two' }).waitFor()
    }))

  test('examples, files and several programs with parameter sets; each set is one execution', () =>
    visit('programs', async (page) => {
      await page.getByRole('button', { name: 'Examples' }).click()
      await page.getByRole('button', { name: 'QAOA with parameters' }).click()
      await page.getByLabel('gamma, set 3').fill('pi/x')
      await page.getByText('x is unknown').first().waitFor()
      await page.getByLabel('gamma, set 3').fill('pi/2')
      await page.getByRole('button', { name: 'Remove set 1' }).click()
      await page.getByRole('button', { name: 'Paste sets' }).click()
      await page.getByLabel('One set per line').fill('0.1, 0.2\n0.3 pi')
      await page.getByRole('button', { name: 'Use two sets' }).click()
      await page.getByRole('button', { name: 'Range…' }).click()
      const range = page.getByRole('dialog')
      await range.getByLabel('beta, points').fill('200')
      await range.getByText('more than 300 sets').waitFor()
      await range.getByLabel('beta, points').fill('1')
      await range.getByLabel('gamma, to').fill('pi')
      await range.getByLabel('gamma, points').fill('3')
      await range.getByRole('button', { name: 'Use three sets' }).click()
      expect(await page.getByLabel('gamma, set 3').inputValue()).toBe('3.14159265359')
      await page.getByRole('button', { name: 'Remove set 3' }).click()
      await page.getByRole('button', { name: 'Add program' }).click()
      await page.getByRole('heading', { name: 'Program 2 of 2' }).waitFor()
      await load(page, `${HEAD}qubit q;\nbit c;\nx q;\nc = measure q;\n`)
      await program(page).getByText('x q;').waitFor()
      await page.getByLabel('Shots').fill('100')
      await page.getByLabel('QPU', { exact: true }).selectOption({ index: 1 })
      await page.keyboard.press('Control+Enter')
      await page.locator('.heading').getByText('Completed').waitFor()
      await page.getByRole('combobox', { name: 'Circuit' }).first().selectOption({ index: 2 })
      await page.getByRole('img', { name: 'Histogram of counts. Most frequent: 1: 100' }).waitFor()
    }))

  test('a program with inputs leads to the values that are missing', () =>
    visit('inputs', async (page) => {
      await load(page, `${HEAD}input float theta;\nqubit q;\nbit c;\nrx(theta) q;\nc = measure q;\n`)
      await page.getByText('Drawn with theta = 0.').waitFor()
      const toFirst = page.getByRole('button', { name: 'One problem, go to the first' })
      await toFirst.click()
      await page.locator('.field-error:focus').getByText('Give one value: theta').waitFor()
      await page.getByRole('button', { name: 'Add a set' }).click()
      await page.locator('.field-error').waitFor({ state: 'detached' })
      await toFirst.waitFor({ state: 'detached' })
    }))

  test('the fidelity on a described QPU is predicted, with its parts, and why it is not known', () =>
    visit('fidelity', async (page) => {
      await load(page, `${HEAD}qubit[3] q;\nbit[3] c;\nh q[0];\ncx q[0], q[1];\nc = measure q;\n`)
      await page.getByLabel('QPU', { exact: true }).selectOption({ label: 'noisy, takes jobs' })
      const fidelity = page.locator('.pairs div', { hasText: 'Expected fidelity' }).locator('dd')
      await fidelity.getByText(/^≈ 0\.[5-9]\d\d$/).waitFor()
      await page.locator('.pairs').getByText('Gates × readout × waiting').waitFor()
      await load(page, `${HEAD}qubit[3] q;\ncx q[0], q[2];\n`)
      await fidelity.getByText('unknown: q0 and q2 are not coupled').waitFor()
      // An exact simulator has no errors.
      await page.getByLabel('QPU', { exact: true }).selectOption({ label: 'kelvin, takes jobs' })
      await fidelity.waitFor({ state: 'detached' })
    }))

  test('a program is checked in a worker, a long one as well', () =>
    visit('long', async (page) => {
      const worker = page.waitForEvent('worker')
      await load(page, `${HEAD}qubit q;\n${'x q;\n'.repeat(2_500)}y qq;\n`)
      expect((await worker).url()).toMatch(/\/a\/check-worker-\w+\.js$/)
      await page.getByText('"qq" is not declared').waitFor()
      await page.getByRole('button', { name: 'line 2504, column 3' }).waitFor()
    }))

  test('without the code of the editor and the parser, the server checks a plain text field', () =>
    visit(
      'plain',
      async (page) => {
        await page.route(/\/a\/(check-worker|code-editor)-.*\.js/, (route) => route.abort())
        await page.reload()
        const area = page.getByLabel('OpenQASM program')
        await area.fill(BROKEN)
        await page.keyboard.press('Control+Enter')
        await page.getByRole('button', { name: 'line 6, column 13' }).click()
        const caret = await page.evaluate(() => document.querySelector('textarea')?.selectionStart)
        expect(caret).toBe(BROKEN.indexOf('qq;'))
        await area.fill(BROKEN.replace('qq', 'q'))
        await page.getByLabel('Shots').fill('0')
        await page.keyboard.press('Control+Enter')
        await page.locator('#shots-error').waitFor()
        expect(await page.getByLabel('Shots').getAttribute('aria-describedby')).toBe('shots-error')
        await page.getByLabel('Shots').fill('100')
        await page.locator('#shots-error').waitFor({ state: 'detached' })
      },
      { expected: [/status of 400/, /net::ERR_FAILED/] },
    ))
})
