import { expect } from 'bun:test'
import type { Journal } from '../executable/journal.ts'
import type { Service } from '../executable/service.ts'
import { closeRow } from './fault-runs.ts'

/**
 * Stops the server and closes a row of docs/reference/faults.md: every job of the journal was completed and
 * charged once, and the database is intact.
 */
export async function finishRow(
  row: string,
  { runs, journal, service }: { runs: number; journal: Journal; service: Service },
): Promise<void> {
  await service.stop()
  const { submitted, completed, ...losses } = journal.compare(service.folder)
  const { lost, duplicated, completedTwice, chargedTwice } = losses
  const counts = { lost, duplicated: duplicated + completedTwice, 'charged twice': chargedTwice }
  closeRow(row, { runs, jobs: submitted, ...counts })
  const none = { lost: 0, duplicated: 0, completedTwice: 0, chargedTwice: 0, uncharged: 0, misjudged: 0 }
  expect({ completed, ...losses }).toEqual({ completed: submitted, ...none })
  const { status, out, err } = await service.doctor()
  expect({ status, out, err }).toEqual({ status: 0, out: 'svc_data: no problems found\n', err: '' })
}
