import { ClusterError } from '../connection/reply.ts'
import { assertNoErrors } from '../dialect/module-errors.ts'
import type { SequencerPlace } from '../plan/sequencer-places.ts'
import { failuresOf, hasStopped, statusOf } from '../run/sequencer-status.ts'
import type { CheckedCluster, StepResult } from './checked-cluster.ts'

/** A line of the chip and the slot of the module that plays it. */
export interface UsedLine {
  name: string
  slot: number
}

/** The shortest program of a sequencer: 4 ns. */
const PROGRAM = 'upd_param 4\nstop\n'
const RUN_MS = 2_000
const PAUSE_MS = 5

/** Assembles and runs a program on a sequencer for every line, connected to nothing. */
export async function* checkSequencers(
  lines: readonly UsedLine[],
  cluster: CheckedCluster,
): AsyncGenerator<StepResult> {
  for (const [slot, members] of Map.groupBy(lines, (line) => line.slot)) {
    for (const [sequencer, { name }] of members.entries()) {
      await cluster.loaded.load({ slot, sequencer }, { program: PROGRAM, waveforms: {}, acquisitions: {} })
      await runSequencer({ slot, sequencer }, cluster, false)
      yield { subject: name, passed: true, detail: `slot ${slot}, sequencer ${sequencer}: assembled and run` }
    }
  }
}

/**
 * Arms and starts one sequencer and waits until it has stopped.
 * @throws InstrumentError in the words of the module; ClusterError when it fails or does not stop.
 */
export async function runSequencer(
  { slot, sequencer }: SequencerPlace,
  { links, clock }: CheckedCluster,
  records: boolean,
): Promise<void> {
  const link = links.module(slot)
  const place = `sequencer ${sequencer} in slot ${slot}`
  await link.send(`SEQuencer${sequencer}:ARM`)
  await assertNoErrors(link, `${place} could not be armed`)
  await links.start([slot])
  await assertNoErrors(link, `${place} could not be started`)
  const due = clock.monotonic() + RUN_MS
  for (;;) {
    const status = statusOf(await link.query(`SEQuencer${sequencer}:STATE?`))
    const failures = failuresOf(status)
    if (failures.length > 0) throw new ClusterError(`${place} failed: ${failures.join(', ')}`)
    if (hasStopped(status, records)) return
    if (clock.monotonic() >= due) throw new ClusterError(`${place} does not stop: ${status.state}`)
    await clock.sleep(PAUSE_MS)
  }
}
