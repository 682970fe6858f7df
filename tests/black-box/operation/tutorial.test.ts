import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { blocksOf, runPage } from '../../support/executable/run-page.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PAGE = join(import.meta.dir, '../../../docs/tutorials/first-job.md')

test('the tutorial works as printed: register, start driver, submit, read, pay', async () => {
  using folder = temporaryFolder()
  const blocks = blocksOf(PAGE)
  expect(blocks.map((block) => block.role).filter(Boolean)).toEqual(['server', 'driver'])
  const { out, err } = await runPage(blocks, folder.path)
  expect(err).toBe('')
  expect(out).toContain('"name":"kelvin_5"')
  const counts = JSON.parse(/"counts":(\{[^}]*\})/.exec(out)?.[1] ?? '{}') as Record<string, number>
  expect(Object.keys(counts).sort()).toEqual(['00', '11'])
  expect((counts['00'] ?? 0) + (counts['11'] ?? 0)).toBe(1000)
  const balance = Number(/"qpu_seconds":(\d+\.\d+)\n/.exec(out)?.[1])
  using db = new Database(join(folder.path, 'svc_data/svc.db'), { readonly: true })
  const charges = db.query<{ delta_ms: number }, []>(
    `SELECT 0 - round(duration * 1000) AS delta_ms FROM quantum_jobs WHERE status = 'completed'`,
  )
  const [charge, ...others] = charges.all()
  expect(balance).toBeLessThan(60)
  expect(balance).toBeCloseTo(60 + (charge?.delta_ms ?? 0) / 1_000, 3)
  expect(others).toEqual([])
  expect(out).toContain('"params":{"line":1,"column":24}')
}, 90_000)
