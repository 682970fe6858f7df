import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawSimulatedChip } from '../../support/executable/chip-files.ts'
import { blocksOf, runPage } from '../../support/executable/run-page.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PAGE = join(import.meta.dir, '../../../docs/how-to/calibrate.md')

test('the calibration guide works as printed, from an empty folder to a calibrated chip and back', async () => {
  using folder = temporaryFolder()
  const blocks = blocksOf(PAGE)
  expect(blocks.map((block) => block.role).filter(Boolean)).toEqual(['server', 'driver'])
  const design = /<<'END'\n([\s\S]*?)^END$/m.exec(blocks.map(({ code }) => code).join(''))?.[1] ?? ''
  // The tuner would draw a chip at random; a test calibrates the same one at each run.
  await drawSimulatedChip(join(folder.path, 'tuner/data'), design, 1)
  const { out, err } = await runPage(blocks, folder.path)
  expect(err).toBe('')
  const report = JSON.parse(readFileSync(join(folder.path, 'report.json'), 'utf8'))
  expect([report.mode, report.backend]).toEqual(['full', 'scheduler_a_tuner+simulated'])
  expect(report.device_file.changed).toBeGreaterThan(30)
  // What the page shows: the status, calibrated frequencies, one routine, the history, limits, the way back.
  // A routine may decline a chip; the bench of acceptance counts how often.
  expect(out).toMatch(/^(success|partial_failure)$/m)
  expect(out).toMatch(/^ {2}clock_freqs: \{f01: 4\.4\d{4,}e\+9, readout: 6\.4\d{4,}e\+9/m)
  expect(out).toMatch(/^q0 rabi_oscillations\n/m)
  expect(out).toMatch(/^ {2}rxy\.amp180 {2}0\.\d+ ± 0\.0\d+ {3}before: 0\.\d+$/m)
  expect(out).toMatch(/"routine":"(ramsey_correction|qubit_01_spectroscopy)"/)
  expect(out).toContain('"readout_fidelity":0.975')
  expect(out).toMatch(/^Restored .*scheduler\.device\.yml from scheduler\.device\.yml\.prev$/m)
  expect(readFileSync(join(folder.path, 'tuner/scheduler.device.yml'), 'utf8')).toBe(design)
  expect(out).toContain('"error":"wrong chip"')
}, 180_000)
