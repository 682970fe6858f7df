import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { findChromium, openBrowser, overflowOf, withPage } from '../browser.ts'
import { type Lab, openLab } from '../lab.ts'
import { sessionFor } from '../stage/visit.ts'

const chromium = findChromium()
const PROGRAM = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nbit[2] c;\nh q;\nc = measure q;\n'
/** 985 of 1024 outcomes or so: far more than a plot has bars. */
const FLAT = PROGRAM.replaceAll('[2]', '[10]')

describe.skipIf(!chromium)('jobs', () => {
  let browser: Browser
  let lab: Lab
  let flat: string
  let points: string
  let prepared: string
  const named: string[] = []

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    await lab.connect()
    // Enough that no outcome of nine of its bits is absent.
    flat = await submit({ circuits: [{ circuit: FLAT }], shots: 10_000 })
    points = await submit({ circuits: [{ circuit: PROGRAM }], meas_level: 1, shots: 2_000 })
    const one = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[1] q;\nbit[1] c;\n'
    const both = ['', 'x q[0];\n'].map((gate) => ({ circuit: `${one}${gate}c = measure q;` }))
    prepared = await submit({ circuits: both, meas_level: 1, shots: 500 })
    for (const name of ['first sweep', 'second sweep']) {
      named.push(await submit({ circuits: [{ circuit: PROGRAM }], name, tags: ['sweep'] }))
    }
    await until('the jobs to be completed', async () => {
      const { body } = await lab.service.call<unknown[]>('GET', '/api/jobs?status=pending,running', {
        token: lab.user.token,
      })
      return body.length === 0
    })
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const submit = async (job: object, qpu = lab.qpu.id) => {
    const body = { qpu_target: qpu, shots: 1_000, ...job }
    const { body: created } = await lab.service.call('POST', '/api/jobs', { token: lab.user.token, body })
    return String(created['id'])
  }
  const visit = (name: string, who: 'user' | 'admin', run: (page: Page) => Promise<void>) => {
    const session = sessionFor(lab.url, { id: 'root', ...lab[who] }, who === 'user' ? 'users' : '_superusers')
    return withPage(browser, { name, baseURL: lab.url, ...session, expected: [/status of 409/] }, run)
  }
  const rows = (page: Page) => page.locator('table.long [data-row]')

  test('the list is filtered by the server, its address is its state, and it is live', () =>
    visit('jobs', 'user', async (page) => {
      await page.goto('/jobs')
      await page.getByText('5 jobs.').waitFor()
      await page.getByLabel('Id, name or tag').fill('SWEEP')
      await page.waitForFunction(() => document.querySelectorAll('table.long [data-row]').length === 2)
      expect(new URL(page.url()).search).toBe('?q=SWEEP')
      await page.reload()
      await page.getByRole('link', { name: 'second sweep' }).waitFor()
      expect(await rows(page).count()).toBe(2)
      await page.getByLabel('Status').selectOption('Failed')
      await page.getByText('No job matches these filters').waitFor()
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('failed sweeps')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await page.getByText('first sweep').waitFor()
      await page
        .getByRole('navigation', { name: 'Pages' })
        .getByRole('link', { name: 'failed sweeps' })
        .click()
      await page.getByText('No job matches these filters').waitFor()
      await page.getByRole('button', { name: 'Remove from menu' }).click()
      expect(await page.getByRole('link', { name: 'failed sweeps' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await page.getByRole('link', { name: 'first sweep' }).focus()
      const fresh = await lab.submit()
      await page.getByRole('row', { name: fresh }).getByText('Completed').waitFor()
      // The focus stays with its job, although every row has moved.
      expect(await page.evaluate(() => document.activeElement?.getAttribute('title'))).toBe('first sweep')
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await overflowOf(page)).toBe(0)
    }))

  test('the address and this browser keep the chosen columns of a list', () =>
    visit('columns', 'user', async (page) => {
      const head = (name: string) => page.getByRole('columnheader', { name })
      await page.goto('/jobs')
      await page.getByRole('link', { name: 'first sweep' }).waitFor()
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('button', { name: 'Shots', exact: true }).click()
      await page.getByRole('button', { name: 'QPU', exact: true }).click()
      await page.getByRole('button', { name: 'Columns 3 of 5' }).waitFor()
      expect(new URL(page.url()).search).toBe('?without=Shots&without=QPU')
      expect([await head('Shots').count(), await head('Status').count()]).toEqual([0, 1])
      await page.goto('/jobs?without=Time')
      await head('QPU').waitFor()
      expect([await head('Shots').count(), await head('Time').count()]).toEqual([1, 0])
      await page.goto('/jobs')
      await page.getByRole('button', { name: 'Columns 3 of 5' }).click()
      await page.getByRole('button', { name: 'Usual columns' }).click()
      await head('Shots').waitFor()
      expect(new URL(page.url()).search).toBe('?without=none')
    }))

  test('the scale of a histogram is that of its bars; outcomes without one are a number', () =>
    visit('flat', 'user', async (page) => {
      await page.goto(`/jobs/${flat}`)
      const plot = page.getByRole('img', { name: /^Histogram of counts\. Most frequent: [01]{10}: \d+/ })
      await plot.waitFor()
      await plot.getByText('rarer outcomes').waitFor()
      const tallest = await plot
        .locator('.bar')
        .evaluateAll((bars) => Math.max(...bars.map((bar) => bar.getBoundingClientRect().height)))
      expect(tallest).toBeGreaterThan(80)
      // All outcomes of nine bits have a bar.
      await page.getByRole('textbox', { name: 'Bits' }).fill('0-8')
      await page.waitForFunction(() => document.querySelectorAll('.histogram .bar').length === 512)
      const ofNine = page.getByRole('img', { name: /^Histogram of counts\. Most frequent: [01]{9}: \d+/ })
      expect(await ofNine.getByText('rarer outcomes').count()).toBe(0)
      await page.getByRole('textbox', { name: 'Bits' }).fill('')
      await page.getByRole('radio', { name: 'Log' }).check()
      await page.getByRole('radio', { name: 'Probability' }).check()
      await plot.getByText('0.001', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Save the results or the plot' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Plot as SVG' }).click(),
      ])
      expect(await Bun.file(await file.path()).text()).toStartWith('<svg')
    }))

  test('counts stand beside their ideal distribution, of all bits or some; unequal registers are not compared', () =>
    visit('ideal', 'user', async (page) => {
      const [pair = ''] = named
      await page.goto(`/jobs/${pair}`)
      await page.getByLabel('Ideal distribution').check()
      await page
        .getByText(/Hellinger fidelity to the ideal distribution: 0\.9\d+|distribution: 1\.0000/)
        .waitFor()
      await page.getByRole('img', { name: /^Histogram of the counts of measured, ideal/ }).waitFor()
      await page.getByLabel('Expectation of').fill('Z0')
      await page.getByText(/^−?0\.\d+\(\d+\), ideally −?0\.000$/).waitFor()
      await page.getByRole('textbox', { name: 'Bits' }).fill('2')
      await page.getByRole('alert').getByText('There is no bit 2; the bits are 0 to 1.').waitFor()
      await page.getByRole('textbox', { name: 'Bits' }).fill('1')
      await page.getByText('Table of 2 outcomes').waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await overflowOf(page)).toBe(0)
      await page.goto(`/jobs/${pair}?with=${flat}`)
      await page.getByText('The registers have 2 and 10 bits: their outcomes cannot be compared.').waitFor()
      expect(await page.getByText('not the same source').count()).toBe(0)
    }))

  test('a sweep is plotted against its parameters, with a fit, and as a map of two', async () => {
    const program = 'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float theta;\ninput float phi;\n'
    const circuit = `${program}qubit q;\nbit c;\nrx(theta) q;\nrz(phi) q;\nc = measure q;\n`
    const angles = Array.from({ length: 25 }, (_, at) => at / 2)
    const run = (parameter_values: number[][]) => submit({ circuits: [{ circuit, parameter_values }] })
    const line = await run(angles.map((theta) => [theta, 0.5]))
    const plane = await run([0, 1, 2, 3].flatMap((theta) => [0, 1, 2].map((phi) => [theta, phi])))
    await visit('sweep', 'user', async (page) => {
      await page.goto(`/jobs/${line}`)
      const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Sweep' }) })
      await panel.getByRole('img', { name: 'P(0): 25 points against theta' }).waitFor()
      await panel.getByRole('combobox', { name: 'Shown' }).selectOption('P(1)')
      await panel.getByRole('combobox', { name: 'Fit' }).selectOption('Cosine')
      await panel.getByRole('img', { name: 'P(1): 25 points against theta with the fitted curve' }).waitFor()
      const frequency = panel.getByRole('row', { name: 'frequency, cycles per theta' }).getByRole('cell')
      expect(Number.parseFloat(await frequency.innerText())).toBeCloseTo(1 / (2 * Math.PI), 2)
      await panel.getByRole('combobox', { name: 'Fit' }).selectOption('Lorentzian')
      await panel.getByRole('alert').waitFor()
      await page.getByRole('button', { name: 'Save the sweep or its plot' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Points as CSV' }).click(),
      ])
      expect(await Bun.file(await file.path()).text()).toStartWith('theta,P(1),error\r\n0,0,0\r\n')
      await page.goto(`/jobs/${plane}`)
      await panel.getByRole('img', { name: 'P(0): 12 values against theta and phi' }).waitFor()
      await panel.getByRole('combobox', { name: 'Against' }).selectOption('phi')
      await panel.getByText('Other parameters differ between these points, too.').waitFor()
      await page.setViewportSize({ width: 390, height: 800 })
      expect(await overflowOf(page)).toBe(0)
    })
  })

  test('a sweep fills while its job runs, and stays, marked as incomplete, when the job fails', async () => {
    const program = 'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float theta;\n'
    const circuit = `${program}qubit q;\nbit c;\nrx(theta) q;\nc = measure q;\n`
    const slow = await lab.service.createQpu('slow')
    // 20 circuits of 0.5 s, of which 12 or so end in time.
    lab.service.startDriver('slow', slow, 'mock', ['latency=10', 'job_timeout=6.2'])
    await lab.service.untilOnline('slow')
    const parameter_values = Array.from({ length: 20 }, (_, at) => [at / 3])
    const sweep = await submit({ circuits: [{ circuit, parameter_values }] }, slow.id)
    await visit('filling', 'user', async (page) => {
      await page.goto(`/jobs/${sweep}`)
      const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Sweep' }) })
      const plotOf = (number: string) =>
        panel.getByRole('img', { name: `P(0): ${number} points against theta` })
      const note = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text })
      await note('of 20 circuits have ended; the others follow while the job runs.').waitFor()
      await page
        .getByText(/^Running, [1-9]\d? %$/)
        .first()
        .waitFor()
      await page.getByText('Failed.', { exact: true }).waitFor()
      // How many end in time is a matter of the machine; page and plot agree.
      const ended = await note(/ \d+ of 20 circuits have ended in attempt 1\./).innerText()
      await plotOf(/\d+/.exec(ended)?.[0] ?? '').waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await overflowOf(page)).toBe(0)
    })
  })

  test('points of level 1 are drawn in the IQ plane, one bit at a time', () =>
    visit('iq', 'user', async (page) => {
      await page.goto(`/jobs/${points}`)
      await page.getByRole('img', { name: /^Bit 0: .* points in the IQ plane/ }).waitFor()
      await page.getByRole('combobox', { name: 'Bit' }).selectOption('1')
      await page.getByRole('img', { name: /^Bit 1: .* points in the IQ plane/ }).waitFor()
    }))

  test('shots whose preparation is certain show threshold, projection and assignment error', () =>
    visit('iq-prepared', 'user', async (page) => {
      await page.goto(`/jobs/${prepared}`)
      await page.getByRole('radio', { name: 'Prepared' }).check()
      await page
        .getByRole('img', { name: /prepared as 0, .*; .*prepared as 1, .*dashed: threshold/ })
        .waitFor()
      await page.getByRole('img', { name: /^Bit 0: histogram along the axis between the states/ }).waitFor()
      await page.getByText('halfway between the means of both preparations').waitFor()
      await page.getByText('0 read as 1').waitFor()
      await page.getByRole('radio', { name: 'Assigned' }).check()
      await page.getByText(/read as 0, 500/).waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await overflowOf(page)).toBe(0)
    }))

  test('a job is renamed and tagged on its page, after it has ended', () =>
    visit('rename', 'user', async (page) => {
      await page.goto(`/jobs/${flat}`)
      await page.getByRole('button', { name: 'Rename' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('all outcomes')
      await dialog.getByLabel('Tags').fill(`kept, ${'x'.repeat(65)}`)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('at most 64 characters').waitFor()
      await dialog.getByLabel('Tags').fill('kept, flat, kept')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'all outcomes' }).waitFor()
      await page.getByRole('link', { name: 'flat' }).waitFor()
      expect(await page.getByRole('link', { name: 'kept' }).count()).toBe(1)
    }))

  test('two jobs are selected and compared', () =>
    visit('compare', 'user', async (page) => {
      await page.goto('/jobs?tag=sweep')
      for (const name of ['first', 'second']) await page.getByLabel(`Select ${name} sweep`).check()
      await page.getByRole('link', { name: 'Compare 2' }).click()
      await page.getByRole('heading', { name: 'Compare 2 jobs' }).waitFor()
      await page.getByText('expected from shots alone').first().waitFor()
      await page.getByText('identical').waitFor()
      await page.getByRole('img', { name: /^Differences of 4 outcomes/ }).waitFor()
      await page.getByRole('button', { name: 'Swap' }).click()
      await page.waitForURL(/\/jobs\/\w+\?with=\w+/)
    }))

  test('operators see everybody, hold and release, and move a job, with reasons', () =>
    visit('operate', 'admin', async (page) => {
      const spare = await lab.service.createQpu('spare')
      const id = await submit({ circuits: [{ circuit: PROGRAM }], name: 'waits' }, spare.id)
      const other = await submit({ circuits: [{ circuit: PROGRAM }], name: 'waits too' }, spare.id)
      await page.goto('/jobs?status=pending')
      await page.getByRole('row', { name: 'waits too' }).getByText(lab.user.email).waitFor()
      await page.getByLabel('Select waits too').check()
      await page.getByRole('button', { name: 'Hold' }).click()
      await page.getByLabel('Reason').fill('check the qubits')
      await page.getByRole('dialog').getByRole('button', { name: 'Hold' }).click()
      await page.getByText('One job done, none refused.').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('row', { name: 'waits too' }).getByText('Held').waitFor()

      await page.goto(`/jobs/${other}`)
      await page.getByText('Held by an operator: check the qubits').first().waitFor()
      await page.getByRole('button', { name: 'Operate' }).click()
      await page.getByRole('button', { name: 'Release…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
      await page.locator('.heading').getByText('Pending').waitFor()

      await page.goto(`/jobs/${id}`)
      await page.getByRole('button', { name: 'Operate' }).click()
      await page.getByRole('button', { name: 'Move to another QPU…' }).click()
      await page.getByRole('dialog').getByLabel('QPU', { exact: true }).selectOption('kelvin, online')
      await page.getByRole('dialog').getByLabel('Reason').fill('spare is cold')
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
      // A simulator in place of hardware needs a confirmation.
      await page.getByText('QPU kelvin is a simulator').waitFor()
      await page.getByLabel('Run it on a simulator instead of hardware').check()
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
      await page.locator('.heading').getByText('Completed').waitFor()
      await page.getByText(/events/).click()
      await page.getByText('from spare to kelvin: spare is cold').waitFor()
    }))

  test('operators find the jobs of a user and of a day, read their places, and cancel them with a reason', () =>
    visit('anyone', 'admin', async (page) => {
      const cold = await lab.service.createQpu('cold')
      const circuits = [{ circuit: PROGRAM }]
      const first = await submit({ circuits, name: 'first in line' }, cold.id)
      await submit({ circuits, name: 'second in line' }, cold.id)
      await page.goto('/jobs?status=pending&qpu=cold')
      await page.getByRole('row', { name: 'second in line' }).getByText('Pending, 2nd').waitFor()
      await page.getByLabel('Find an owner').fill(lab.user.email)
      await page.waitForURL(/user=/)
      await page.getByLabel('Period').selectOption('Yesterday')
      await page.getByText('No job matches these filters').waitFor()
      await page.getByLabel('Period').selectOption('Today')
      for (const name of ['first', 'second']) await page.getByLabel(`Select ${name} in line`).check()
      await page.getByRole('button', { name: 'Cancel jobs' }).click()
      await page.getByRole('dialog').getByLabel('Reason').fill('the QPU is warm')
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel jobs' }).click()
      await page.getByText('Two jobs done, none refused.').waitFor()
      const { body } = await lab.service.call('GET', `/api/jobs/${first}`, { token: lab.user.token })
      expect(body['timeline']).toContainEqual(
        expect.objectContaining({ event: 'cancelled', detail: 'the QPU is warm' }),
      )
    }))

  test('selected jobs are cancelled, with an outcome for each', () =>
    visit('bulk', 'user', async (page) => {
      const { body } = await lab.service.call('GET', '/api/qpus/spare')
      await submit({ circuits: [{ circuit: PROGRAM }], name: 'unwanted' }, String(body['id']))
      await page.goto('/jobs')
      await page.getByLabel('Select unwanted').check()
      await page.getByLabel('Select first sweep').check()
      await page.getByRole('button', { name: 'Cancel jobs' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel jobs' }).click()
      await page.getByText('One job done, 1 refused.').waitFor()
      await page.getByText('Only pending jobs can be cancelled').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('row', { name: 'unwanted' }).getByText('Cancelled').waitFor()
    }))

  test('a filtered list stays true while another browser changes its jobs', () =>
    visit('jobs-filtered', 'user', async (page) => {
      const idle = await lab.service.createQpu('boreas')
      const id = await submit({ circuits: [{ circuit: PROGRAM }], name: 'in line', tags: ['live'] }, idle.id)
      await page.goto('/jobs?status=pending&tag=live')
      await page.getByRole('link', { name: 'in line' }).waitFor()
      await visit('jobs-changed', 'user', async (other) => {
        await lab.service.call('PATCH', `/api/jobs/${id}`, {
          token: lab.user.token,
          body: { name: 'renamed', tags: ['live', 'tagged'] },
        })
        const row = page.getByRole('row', { name: 'renamed' })
        await row.getByText('tagged').waitFor()
        await other.goto(`/jobs/${id}`)
        await other.getByRole('button', { name: 'Cancel job' }).click()
        await row.waitFor({ state: 'detached' })
        await page.getByText('No job matches these filters').waitFor()
      })
    }))

  test('a link shows a job to guests until it is revoked', () =>
    visit('jobs-share', 'user', async (page) => {
      await page.goto(`/jobs/${flat}`)
      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByRole('button', { name: 'Create a link' }).click()
      const link = await page.locator('figure.code pre').innerText()
      const guest = { name: 'jobs-shared', baseURL: lab.url, expected: [/status of 404/] }
      await withPage(browser, guest, async (other) => {
        await other.goto(new URL(link).pathname)
        await other.getByText('Shared with you, read-only, until').waitFor()
        await other.getByRole('heading', { name: 'Counts' }).waitFor()
        expect(await other.getByRole('button', { name: /Share|receipt/i }).count()).toBe(0)
        expect(await other.getByText('Receipt').count()).toBe(0)
        expect(await overflowOf(other)).toBe(0)
        await page.getByRole('button', { name: 'Revoke' }).click()
        await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' })
        await other.reload()
        await other.getByRole('heading', { name: 'This link is not valid' }).waitFor()
      })
    }))
})
