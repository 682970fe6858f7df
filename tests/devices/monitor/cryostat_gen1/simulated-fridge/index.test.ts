import { expect, test } from 'bun:test'
import { coldFridge } from '../../../../support/devices/cryostat.ts'
import { until } from '../../../../support/until.ts'

async function get(url: string, path: string): Promise<[number, unknown]> {
  const response = await fetch(url + path)
  return [response.status, await response.json()]
}

test('startSimulatedFridge() describes itself at /system', async () => {
  await using fridge = await coldFridge()
  expect(await get(fridge.url, '/system')).toEqual([
    200,
    { data: expect.objectContaining({ system_name: 'Simulated fridge' }) },
  ])
  expect(fridge.requests).toEqual(['/system'])
})

test.each(['/system', '/values/mapper/bf/t4k', '/values/mapper/bf/t4k?key=wrong'])(
  'startSimulatedFridge() refuses %s without its key',
  async (path) => {
    await using fridge = await coldFridge({ apiKey: 'right' })
    expect((await get(fridge.url, path))[0]).toBe(403)
    const [requested = ''] = path.split('?')
    expect((await get(fridge.url, `${requested}?key=right`))[0]).toBe(200)
  },
)

test('startSimulatedFridge() returns numbers as text, with their time', async () => {
  await using fridge = await coldFridge({ shape: 'single' })
  const value = { value: expect.stringMatching(/^3\.\d+$/), status: 'SYNCHRONIZED', outdated: false }
  const [, body] = await get(fridge.url, '/values/mapper/bf/t4k')
  expect(body).toMatchObject({
    data: { name: 'mapper.bf.t4k', content: { latest_valid_value: value, latest_value: value } },
  })
})

test('startSimulatedFridge() has no other pages and channels', async () => {
  await using fridge = await coldFridge()
  for (const path of ['/', '/values/mapper/bf/none', '/values/']) {
    expect(await get(fridge.url, path)).toEqual([404, expect.objectContaining({ status: 'ERROR' })])
  }
})

test('startSimulatedFridge() runs faster by its time scale', async () => {
  await using fridge = await coldFridge({ startAt: 0, timeScale: 1e6 })
  // Without the scale this takes hours.
  await until('the pumps have evacuated it', () => (fridge.numberOf('mapper.bf.p1') ?? 1) < 1e-5)
})
