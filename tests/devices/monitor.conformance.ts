import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { EVENTS } from '../../src/protocol/index.ts'
import { openMonitor } from '../support/devices/cryostat.ts'
import { until } from '../support/until.ts'

/** Equipment for the tests of a monitor. */
export interface Equipment extends AsyncDisposable {
  /** `-o` options of a monitor that polls it every second. */
  pairs: string[]
  /** Makes it unreachable, or reachable again. */
  setUnreachable(isUnreachable: boolean): void
  /** A text that must reach no log line and no event. */
  secret: string
}

/** Requirements for every monitor; `prepare` provides working equipment. */
export function monitorConformance(name: string, prepare: () => Promise<Equipment>): void {
  const rule = (behavior: string) => `${name} ${behavior}`

  test(rule('refuses an option it does not read'), async () => {
    await using equipment = await prepare()
    await expect(openMonitor(name, [...equipment.pairs, 'color=blue'])).rejects.toThrow(
      `unknown option color for monitor device ${name}`,
    )
  })

  test(rule('emits valid events every second'), async () => {
    await using equipment = await prepare()
    using it = await openMonitor(name, equipment.pairs)
    await it.running.start()
    await it.untilSent(1)
    await it.clock.advance(1_000)
    await it.untilSent(2)
    expect(it.sent.map(({ at }) => at)).toEqual([0, 1_000])
    const declared = EVENTS.find(({ type }) => type === 'CryostatReading')
    for (const { readings } of it.sent) {
      expect(Object.keys(readings).length).toBeGreaterThan(0)
      expect(declared && v.is(declared.payload, { readings })).toBe(true)
    }
    expect(JSON.stringify([it.sent, it.lines])).not.toContain(equipment.secret)
  })

  test(rule('starts without its equipment, and reads it once it is available'), async () => {
    await using equipment = await prepare()
    equipment.setUnreachable(true)
    using it = await openMonitor(name, equipment.pairs)
    await it.running.start()
    await until('a log line', () => it.lines.length > 0)
    expect(it.sent).toEqual([])
    expect(it.lines.map(({ level }) => level)).toEqual(['warn'])
    equipment.setUnreachable(false)
    await it.clock.advance(1_000)
    await it.untilSent(1)
    expect(JSON.stringify([it.sent, it.lines])).not.toContain(equipment.secret)
  })

  test(rule('emits nothing after it is stopped'), async () => {
    await using equipment = await prepare()
    const it = await openMonitor(name, equipment.pairs)
    await it.running.start()
    await it.untilSent(1)
    it[Symbol.dispose]()
    await it.running.stop({ extend: () => undefined })
    await it.clock.advance(60_000)
    expect(it.sent).toHaveLength(1)
    expect(it.lines).toEqual([])
  })
}
