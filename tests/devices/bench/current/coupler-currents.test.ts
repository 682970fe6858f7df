import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../../src/base/index.ts'
import type { CouplerBias } from '../../../../src/devices/bench/current/coupler-bias.ts'
import { CouplerCurrents } from '../../../../src/devices/bench/current/coupler-currents.ts'
import { createCurrentSource } from '../../../../src/devices/bench/current/current-source.ts'
import { CurrentJournal } from '../../../../src/devices/bench/current/journal.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { eagerClock } from '../support/eager-clock.ts'
import { outputAt } from '../support/recorded-output.ts'

const RUN = { run: 'run1' }

/** Two couplers with recorded outputs of 100 nA. */
function openLab(biases: Partial<CouplerBias>[] = [{}, {}]) {
  const folder = temporaryFolder()
  const path = join(folder.path, 'bias.journal.json')
  const clock = eagerClock()
  const couplers = biases.map(
    (bias, each): CouplerBias => ({
      edge: `q${each}_q${each + 1}`,
      address: { source: 'simulated' },
      ...bias,
    }),
  )
  const outputs = new Map(couplers.map(({ edge }) => [edge, outputAt(0, 1e-7, clock)]))
  const outputOf = ({ edge }: CouplerBias) => {
    const recorded = outputs.get(edge)
    if (!recorded) throw new Error(edge)
    return recorded.output
  }
  const source = createCurrentSource({ couplers, outputOf, clock })
  const journal = new CurrentJournal(path)
  const currents = new CouplerCurrents({ couplers, source, journal, clock, log: silentLog })
  return { currents, outputs, clock, path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

function held({ outputs }: ReturnType<typeof openLab>): number[] {
  return [...outputs.values()].map((output) => Math.round(output.held() * 1e7) / 1e4)
}

test('a current is in the journal before its first change, and back after the restore', async () => {
  using lab = openLab()
  const first = lab.outputs.get('q0_q1')
  const write = first?.output.write
  if (!first || !write) throw new Error('no output')
  first.output.write = async (amps) => {
    expect(readFileSync(lab.path, 'utf8')).toContain('"edge": "q0_q1"')
    return write(amps)
  }
  expect(await lab.currents.move('q0_q1', 0.1e-3, RUN)).toBeCloseTo(0.1e-3, 12)
  await lab.currents.move('q0_q1', -0.1e-3, RUN)
  expect(lab.currents.changed).toEqual(['q0_q1'])
  expect(held(lab)).toEqual([-0.1, 0])
  await lab.currents.restore()
  expect(held(lab)).toEqual([0, 0])
  expect(existsSync(lab.path)).toBe(false)
})

test('an emergency takes the fast ramp, at the rate of the element', async () => {
  using lab = openLab([{ abortRate: 0.5e-3 }])
  await lab.currents.move('q0_q1', 0.2e-3, RUN)
  const start = lab.clock.monotonic()
  await lab.currents.restore(undefined, { isEmergency: true })
  const seconds = (lab.clock.monotonic() - start) / 1_000
  expect(seconds).toBeGreaterThan(0.4 * 0.99)
  expect(seconds).toBeLessThan(0.4 * 1.2)
})

test('a current beyond the limit is refused before anything moves', async () => {
  using lab = openLab([{ limit: 1e-3 }, { limit: 1 }])
  expect(lab.currents.move('q0_q1', 1.01e-3, RUN)).rejects.toThrow(
    'coupler q0_q1: 1.0100 mA is beyond the limit of 1.0000 mA',
  )
  expect(lab.currents.move('q1_q2', -3.2e-3, RUN)).rejects.toThrow('beyond the limit of 3.1000 mA')
  expect(lab.currents.move('q1_q2', Number.NaN, RUN)).rejects.toThrow('beyond the limit')
  expect(lab.currents.move('q3_q4', 0, RUN)).rejects.toThrow('q3_q4 has no bias')
  await lab.currents
    .park(
      new Map([
        ['q1_q2', 1e-3],
        ['q0_q1', 2e-3],
      ]),
      RUN,
    )
    .catch((error: unknown) => expect(String(error)).toContain('coupler q0_q1: parking needs 2.0000 mA'))
  expect(held(lab)).toEqual([0, 0])
  expect(existsSync(lab.path)).toBe(false)
})

test('a coupler that already holds more than its limit is left alone', async () => {
  using lab = openLab([{ limit: 1e-3 }])
  lab.outputs.get('q0_q1')?.set(1.2e-3)
  expect(lab.currents.move('q0_q1', 0, RUN)).rejects.toThrow('it holds 1.2000 mA, beyond the limit')
  expect(held(lab)).toEqual([1.2])
  expect(existsSync(lab.path)).toBe(false)
})

test('a restore is tried four times, and names what is not back', async () => {
  using lab = openLab()
  await lab.currents.move('q0_q1', 0.1e-3, RUN)
  await lab.currents.move('q1_q2', 0.1e-3, RUN)
  const broken = lab.outputs.get('q0_q1')
  const write = broken?.output.write
  if (!broken || !write) throw new Error('no output')
  let tries = 0
  broken.output.write = async () => {
    tries += 1
    throw new Error('no reply within 1 s')
  }
  const restored = lab.currents.restore()
  expect(restored).rejects.toThrow(
    'coupler q0_q1 holds 0.1000 mA instead of 0.0000 mA (simulated output): no reply within 1 s',
  )
  expect(tries).toBe(4)
  // The others are back, and the broken one stays in the journal, closed to other runs.
  expect(held(lab)).toEqual([0.1, 0])
  expect(lab.currents.changed).toEqual(['q0_q1'])
  expect(lab.currents.move('q0_q1', 0, { run: 'run2' })).rejects.toThrow('still changed by run run1')
  // One failure alone is only repeated.
  broken.output.write = async (amps) => {
    broken.output.write = write
    throw new Error(`lost ${amps}`)
  }
  await lab.currents.restore()
  expect(held(lab)).toEqual([0, 0])
})

test('parking takes the flux of the neighbors off, and what is kept is not restored', async () => {
  using lab = openLab([{ crosstalk: { q1_q2: 0.1 } }, {}])
  await lab.currents.move('q1_q2', 0.5e-3, RUN)
  await lab.currents.park(new Map([['q0_q1', 0.3e-3]]), RUN)
  expect(held(lab)).toEqual([0.25, 0.5])
  expect(await lab.currents.readEffective('q0_q1')).toBeCloseTo(0.3e-3, 12)
  lab.currents.keep(['q0_q1'])
  await lab.currents.restore()
  expect(held(lab)).toEqual([0.25, 0])
  expect(existsSync(lab.path)).toBe(false)
})

test('an abort rejects with its reason, and the restore works nevertheless', async () => {
  using lab = openLab()
  const stop = new AbortController()
  const first = lab.outputs.get('q0_q1')
  const write = first?.output.write
  if (!first || !write) throw new Error('no output')
  first.output.write = async (amps) => {
    if (amps > 0.05e-3) stop.abort(new Error('calibration stopped'))
    return write(amps)
  }
  const moved = lab.currents.move('q0_q1', 0.1e-3, { ...RUN, signal: stop.signal })
  expect(moved).rejects.toThrow(/^calibration stopped$/)
  expect(held(lab)[0]).toBeLessThan(0.06)
  await lab.currents.restore(undefined, { isEmergency: true })
  expect(held(lab)).toEqual([0, 0])
})
