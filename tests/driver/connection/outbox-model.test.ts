import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { Outbox } from '../../../src/driver/connection/outbox.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { mountSmallDisk, type SmallDisk } from '../../support/faults/small-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { part } from '../../support/whole.ts'
import { recordedLog } from '../support/logs.ts'

const isSkipped = skips('the outbox on a full disk', whyNot('mount'))

/** One outbox after the other in one folder, on a disk that is full at times. */
class Lab {
  readonly #clock = new FakeClock()
  readonly #recorded = recordedLog()
  readonly #folder: string
  readonly #disk: SmallDisk
  readonly #bodies = new Map<string, string>()
  readonly #killed: Outbox[] = []
  /** What has to be found after a kill, and what may be. */
  readonly #safe = new Set<string>()
  readonly #unsafe = new Set<string>()
  #isFull = false
  #outbox: Outbox | undefined

  constructor(folder: string, disk: SmallDisk) {
    this.#folder = folder
    this.#disk = disk
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.open()
    for (const step of steps) await STEPS[step](this)
    for (const outbox of [...this.#killed, this.#outbox]) await outbox?.close()
  }

  get outbox(): Outbox {
    if (!this.#outbox) throw new Error('not open')
    return this.#outbox
  }

  async open(): Promise<void> {
    const { log } = this.#recorded
    this.#outbox = await Outbox.open(join(this.#folder, 'outbox'), { clock: this.#clock, log })
  }

  setFull(isFull: boolean): void {
    if (isFull && !this.#isFull) this.#disk.fill()
    if (!isFull && this.#isFull) this.#disk.free()
    this.#isFull = isFull
  }

  async put(length: number): Promise<void> {
    const id = `job${this.#bodies.size}.1`
    const payload = { padding: 'x'.repeat(length) }
    const body = JSON.stringify({ type: 'JobResult', id, ts: '2026-01-31T09:00:00.000Z', payload })
    this.#bodies.set(id, body)
    await this.outbox.put(id, body)
    this.#unsafe.add(id)
    this.#writesAll()
  }

  async connect(): Promise<void> {
    await this.#clock.advance(60_000)
    const sent: string[] = []
    await this.outbox.sendDue(async (body) => void sent.push(body))
    const expected = this.outbox.ids().map((id) => this.#bodies.get(id) ?? '')
    expect(sent.toSorted()).toEqual(expected.toSorted())
    this.#writesAll()
  }

  /** The server acknowledges the oldest event, or does not know its job. */
  async acknowledge(isKnown: boolean): Promise<void> {
    const [id] = this.outbox.ids()
    if (id === undefined) return
    const kept: string[] = []
    const keep = async (_: string, __: string, body: string) => {
      if (this.#isFull) throw new Error('ENOSPC')
      kept.push(body)
    }
    const isRemoved = await this.outbox.acknowledge(id, isKnown ? undefined : { keep })
    expect(isRemoved).toBe(isKnown || !this.#isFull)
    if (!isKnown && isRemoved) expect(kept).toEqual([this.#bodies.get(id) ?? ''])
    if (isRemoved) for (const set of [this.#safe, this.#unsafe]) set.delete(id)
  }

  /** An orderly stop loses nothing that the disk takes, and names what it loses. */
  async stop(): Promise<void> {
    const before = this.#recorded.lines.length
    this.#writesAll()
    await this.outbox.close()
    await this.open()
    const found = this.outbox.ids()
    const named = this.#recorded.lines.slice(before).map(({ event }) => String(event))
    const known = [...this.#safe, ...this.#unsafe]
    expect(found.filter((id) => !known.includes(id))).toEqual([])
    expect([...this.#unsafe].filter((id) => !found.includes(id) && !named.includes(id))).toEqual([])
    this.#check(found)
  }

  /** After a kill, what was acknowledged may be there again; the server knows it. */
  async kill(): Promise<void> {
    await this.outbox.flushed()
    this.#killed.push(this.outbox)
    await this.open()
    this.#check(this.outbox.ids())
  }

  #check(found: string[]): void {
    expect([...this.#safe].filter((id) => !found.includes(id))).toEqual([])
    this.#unsafe.clear()
    for (const id of found) this.#safe.add(id)
  }

  #writesAll(): void {
    if (this.#isFull) return
    for (const id of this.#unsafe) this.#safe.add(id)
    this.#unsafe.clear()
  }
}

const STEPS = {
  put: (lab: Lab) => lab.put(100),
  put_large: (lab: Lab) => lab.put(100_000),
  fill: async (lab: Lab) => lab.setFull(true),
  free: async (lab: Lab) => lab.setFull(false),
  connected: (lab: Lab) => lab.connect(),
  acknowledge: (lab: Lab) => lab.acknowledge(true),
  unknown_job: (lab: Lab) => lab.acknowledge(false),
  stop: (lab: Lab) => lab.stop(),
  kill: (lab: Lab) => lab.kill(),
}
type Step = keyof typeof STEPS

async function run(steps: readonly Step[]): Promise<void> {
  using folder = temporaryFolder()
  const path = join(folder.path, 'disk')
  await using disk = await mountSmallDisk(path, 2)
  await new Lab(path, disk).run(steps)
}

const FOUND: Step[][] = [
  ['fill', 'put_large', 'free', 'stop'],
  ['fill', 'put_large', 'put', 'free', 'put', 'kill'],
  ['fill', 'put_large', 'free', 'connected', 'kill'],
  ['put', 'fill', 'unknown_job', 'free', 'stop'],
]
test.skipIf(isSkipped).each(FOUND.map((steps) => [steps] as const))('nothing is lost by %j', run)

const WHOLE_MS = 300_000
test.skipIf(isSkipped)(
  'no event is lost that the disk can take, and none without a word',
  async () => {
    const step = fc.constantFrom(...(Object.keys(STEPS) as Step[]))
    const steps = fc.array(step, { minLength: 5, maxLength: 25 })
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: part(300, 25) })
  },
  WHOLE_MS,
)
