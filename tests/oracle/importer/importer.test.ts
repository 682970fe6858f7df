import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openPython } from '../../support/python/python.ts'

const stored = join(import.meta.dir, '../../qasm/gates/importer.jsonl')
const python = await openPython()

test.skipIf(python === undefined)(
  'importer.jsonl is what the importer of Qiskit makes of its programs',
  async () => {
    const run = Bun.spawn([python ?? '', '-W', 'ignore', join(import.meta.dir, 'importer.py')], {
      stdout: 'pipe',
    })
    expect(await new Response(run.stdout).text()).toBe(await Bun.file(stored).text())
  },
  10 * 60_000,
)
