import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab } from '../lab.ts'
import { sessionFor } from '../stage/visit.ts'

const chromium = findChromium()
const PROGRAM = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nbit[2] c;\nrx(0.3) q[1];\n'
const MEASURED = `${PROGRAM}c = measure q;\n`
const OBSERVABLES = [{ ZI: 1 }, { IZ: -0.5 }]

describe.skipIf(!chromium)('exports of jobs', () => {
  let browser: Browser
  let lab: Lab
  const jobs: Record<string, string> = {}

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    const exact = await lab.service.createQpu('exact')
    lab.service.startDriver('exact', exact, 'aer_sim')
    await Promise.all([lab.connect(), lab.service.untilOnline('exact')])
    const submit = async (name: string, qpu: string, job: object) => {
      const body = { qpu_target: qpu, name, ...job }
      const { body: created } = await lab.service.call('POST', '/api/jobs', { token: lab.user.token, body })
      jobs[name] = String(created['id'])
    }
    await submit('counted', lab.qpu.id, { circuits: [{ circuit: MEASURED }], shots: 100 })
    await submit('points', lab.qpu.id, { circuits: [{ circuit: MEASURED }], shots: 100, meas_level: 1 })
    const means = { circuit: PROGRAM, expectation_values: OBSERVABLES }
    await submit('exact', exact.id, { circuits: [{ circuit: MEASURED }, means], exact: true })
    await until('the jobs to be completed', async () => {
      const found = await Promise.all(Object.values(jobs).map((id) => read(`/api/jobs/${id}`)))
      return found.every(({ status }) => status === 'completed')
    })
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const read = async (path: string) =>
    (await lab.service.call<Record<string, unknown>>('GET', path, { token: lab.user.token })).body
  const visit = (name: string, run: (page: Page) => Promise<void>) =>
    withPage(browser, { name, baseURL: lab.url, ...sessionFor(lab.url, lab.user, 'users') }, run)
  const saved = async (page: Page, menu: string, item: string) => {
    await page.getByRole('button', { name: menu, exact: true }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: item, exact: true }).click(),
    ])
    return Bun.file(await file.path()).text()
  }
  const SAVE = 'Save the results or the plot'

  test('selected jobs are saved as the API has them, and as rows with every value', () =>
    visit('export-list', async (page) => {
      await page.goto('/jobs')
      for (const name of Object.keys(jobs)) await page.getByLabel(`Select ${name}`).check()
      const found: { id: string }[] = JSON.parse(await saved(page, 'Export', 'JSON'))
      expect(found).toHaveLength(3)
      for (const job of found) expect(job as unknown).toEqual(await read(`/api/jobs/${job.id}`))
      await page.getByRole('button', { name: 'Close' }).click()
      const [head, ...rows] = (await saved(page, 'Export', 'CSV')).trimEnd().split('\r\n')
      expect(head).toBe(
        'job,name,status,qpu,shots,submitted,seconds,circuit,outcome,count,warnings,recalled,probability,observable,mean',
      )
      const of = (name: string) => rows.filter((row) => row.startsWith(`${jobs[name]},${name},completed,`))
      expect(of('points')).toHaveLength(1)
      const { circuit_results: exact } = (await read(`/api/jobs/${jobs['exact']}`))['results'] as {
        circuit_results: { probabilities?: Record<string, number>; expectation_values?: number[] }[]
      }
      const probabilities = Object.entries(exact[0]?.probabilities ?? {})
      const means = exact[1]?.expectation_values ?? []
      expect([probabilities.length, means.length]).toEqual([2, 2])
      expect(of('exact').map((row) => row.split(',').slice(-3).join())).toEqual([
        ...probabilities.map(([, probability]) => `${probability},,`),
        ...means.map((mean, at) => `,${at},${mean}`),
      ])
    }))

  test('the page of a job saves its results as the API has them, exact values as CSV, and so does a link', () =>
    visit('export-job', async (page) => {
      const id = jobs['exact']
      await page.goto(`/jobs/${id}`)
      const { results } = await read(`/api/jobs/${id}`)
      expect(JSON.parse(await saved(page, SAVE, 'Results as JSON'))).toEqual(results)
      expect(await saved(page, SAVE, 'Exact values as CSV')).toStartWith('outcome,probability\r\n')
      const { body } = await lab.service.call('POST', '/api/shares', {
        token: lab.user.token,
        body: { kind: 'job', record: id, days: 1 },
      })
      await page.goto(new URL(String(body['url'])).pathname)
      expect(JSON.parse(await saved(page, SAVE, 'Results as JSON'))).toEqual(results)
    }))
})
