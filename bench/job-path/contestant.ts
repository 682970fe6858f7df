/** What one ended job of a full queue costs. */
export interface Cost {
  /** Jobs per second. */
  rate: number
  /** Processor time per job of the server and of what works on its jobs, in ms. */
  server: number
  workers: number
  /** KB per job that the server gave to the disk. */
  written: number
}

/** A queue that keeps its promises through a power cut, running in a folder of its own. */
export interface Contestant extends AsyncDisposable {
  /** Processes of the server, and of its workers when those are not this process. */
  readonly server: readonly number[]
  readonly workers: readonly number[]
  /** Bytes that the server wrote so far, where what the system counts for its process is wrong. */
  written?(): Promise<number>
  /** Adds `count` jobs that wait. */
  fill(count: number): Promise<void>
  /** Lets the workers end all jobs that wait; the result reads how many ended per second. */
  drain(): Promise<() => Promise<number>>
  /** Submits one job while the workers wait; returns the ms until its end is stored and known. */
  runOne(): Promise<number>
}

/** Starts a contestant with `width` workers in `folder`. */
export type StartContestant = (folder: string, width: number) => Promise<Contestant>

/** The result that every worker stores: counts of a Bell pair, about as long as the record of the product. */
export const RESULT = JSON.stringify({ counts: { '00': 52, '11': 48 }, note: 'x'.repeat(700) })
/** The program of every job, about as long as the record of the product. */
export const PAYLOAD = JSON.stringify({ circuits: [{ circuit: 'y'.repeat(250) }], shots: 100 })

/** Runs `width` workers of this process together, each until `step` returns false; see `Contestant.drain`. */
export async function drainBy(
  width: number,
  step: (worker: number) => Promise<boolean>,
): Promise<() => Promise<number>> {
  let [ended, first, last] = [0, 0, 0]
  const work = async (worker: number) => {
    while (await step(worker)) {
      last = performance.now()
      first ||= last
      ended += 1
    }
  }
  await Promise.all(Array.from({ length: width }, (_, worker) => work(worker)))
  const rate = (ended - 1) / ((last - first) / 1_000)
  return () => Promise.resolve(rate)
}

/** Adds `count` jobs, 16 at a time. */
export async function fillBy(count: number, add: () => Promise<unknown>): Promise<void> {
  let left = count
  const submit = async () => {
    for (; left > 0; ) {
      left -= 1
      await add()
    }
  }
  await Promise.all(Array.from({ length: 16 }, submit))
}
