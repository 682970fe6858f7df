/**
 * Cuts a connection of a job on the fake cluster at every byte, or every `--step`-th: of what the cluster
 * receives and of what it sends, in both dialects, in a session that is open and, unless `--session open`, in
 * one that the job opens, which is eight times as many bytes.
 * Each cut must end the job with a failure of class device, or not touch its result; the next job must
 * succeed and leave all sequencers at rest. Exits with 1 otherwise.
 */
import { parseArgs } from 'node:util'
import { JobError } from '../../src/devices/index.ts'
import { ClusterLab } from '../../tests/support/cluster/cluster-lab.ts'
import { CountingWire, CutWire, type Direction, wholeWire } from '../../tests/support/cluster/wire.ts'

const { values: flags } = parseArgs({
  options: { step: { type: 'string', default: '1' }, session: { type: 'string', default: 'both' } },
})
const step = Number(flags.step)
const problems: string[] = []

/** What is wrong after a cut; undefined for nothing. */
async function problemOf(lab: ClusterLab, error: unknown): Promise<string | undefined> {
  if (error !== undefined && !(error instanceof JobError && error.class === 'device')) return `${error}`
  lab.cluster.wire = wholeWire
  const next = await lab.errorOfRun()
  if (next !== undefined) return `the next job: ${next}`
  await lab.cluster.settled()
  return lab.restless.length > 0 ? `not at rest: ${lab.restless.join(', ')}` : undefined
}

async function cutAll(scpiVersion: string, direction: Direction, isFresh: boolean): Promise<void> {
  await using lab = await ClusterLab.start({ scpiVersion })
  await lab.run()
  const counting = new CountingWire()
  if (isFresh) lab.cluster.cut()
  lab.cluster.wire = counting
  await lab.run()
  const total = counting.bytes[direction]
  const figures = { cuts: 0, failed: 0, longestMs: 0 }
  for (let at = 0; at < total; at += step) {
    if (isFresh) lab.cluster.cut()
    const wire = new CutWire(direction, at)
    lab.cluster.wire = wire
    const started = performance.now()
    const error = await lab.errorOfRun()
    figures.longestMs = Math.max(figures.longestMs, performance.now() - started)
    figures.cuts += wire.hasCut ? 1 : 0
    figures.failed += error === undefined ? 0 : 1
    const problem = await problemOf(lab, error)
    if (problem !== undefined) problems.push(`${scpiVersion}, byte ${at} ${direction}: ${problem}`)
  }
  const session = isFresh ? 'new session' : 'open session'
  const { cuts, failed, longestMs } = figures
  console.log(
    `command set ${scpiVersion}, ${session}, ${total} bytes ${direction}: ${cuts} cuts, ${failed} jobs failed, longest ${longestMs.toFixed(0)} ms`,
  )
}

for (const isFresh of flags.session === 'open' ? [false] : [false, true]) {
  for (const scpiVersion of ['1.0', '1.1']) {
    for (const direction of ['received', 'sent'] as const) await cutAll(scpiVersion, direction, isFresh)
  }
}
for (const problem of problems) console.log(problem)
console.log(problems.length === 0 ? 'all jobs after a cut succeeded' : `${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
