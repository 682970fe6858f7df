import type { Lab } from '../lab.ts'
import type { Effort, Walk } from './walk.ts'

/** The first five tasks of a new user, each from the overview. */
export async function userTasks(walk: Walk, lab: Lab): Promise<Effort[]> {
  const { page } = walk
  const home = () => page.getByRole('link', { name: 'Overview' }).click()
  await page.goto('/')
  const first = await walk.measure('Sign in and run a first job', async () => {
    await walk.click(page.getByRole('banner').getByRole('link', { name: 'Sign in' }))
    await walk.type('E-mail', lab.user.email)
    await walk.type('Password', lab.user.password)
    await walk.enter()
    await walk.press('Run it')
    await page.locator('.heading').getByText('Completed').waitFor()
    await page.getByRole('img', { name: /^Histogram of counts/ }).waitFor()
  })
  await home()
  const slot = await walk.measure('Book the next free hour', async () => {
    await walk.click(page.getByRole('main').getByRole('link', { name: 'Book a slot' }))
    const draft = page.getByRole('form', { name: 'Draft' })
    await walk.click(draft.getByRole('button', { name: 'Book' }))
    await walk.sees(/^Booked: kelvin/)
  })
  await home()
  const time = await walk.measure('Request QPU time', async () => {
    await walk.follow('Request more')
    await walk.type('Amount', '1h 30m')
    await walk.type('Purpose', 'GHZ states')
    await walk.enter()
    await walk.sees('Your request for 1 h 30 min is waiting for a decision.')
  })
  const export_ = await exportResults(walk, home)
  const drain = (on: boolean) =>
    lab.asAdmin('POST', '/api/op/qpu/drain', { id: lab.qpu.id, drain: on, reason: 'cable swap' })
  await drain(true)
  const id = await lab.submit()
  await home()
  const waiting = await walk.measure('Find out why a job waits', async () => {
    await walk.click(page.getByRole('row', { name: id }).getByRole('link'))
    await walk.sees(/^Waiting: .*(cable swap|drain)/i)
  })
  await drain(false)
  return [first, slot, time, waiting, export_]
}

async function exportResults(walk: Walk, home: () => Promise<void>): Promise<Effort> {
  const { page } = walk
  await home()
  return walk.measure('Export the results of a job as CSV', async () => {
    await walk.click(page.getByRole('table').locator('a[href^="/jobs/"]').first())
    await walk.press(/^Save/)
    const download = page.waitForEvent('download')
    await walk.press('Counts as CSV')
    const text = await Bun.file(await (await download).path()).text()
    if (!/^[^\n]*\n[01]+,\d+/.test(text)) throw new Error(`exported ${text}`)
  })
}
