import { basename } from 'node:path'
import { type Clock, type Log, messageOf } from '../../base/index.ts'
import type { Instrument } from '../bench/instrument.ts'
import { RawDataFolder } from '../bench/raw-data/raw-data-folder.ts'
import type { RawDataSpace } from '../bench/raw-data/raw-data-space.ts'
import { RunRecorder } from '../bench/raw-data/run-recorder.ts'
import type { Job } from '../define-device.ts'

interface RecordedJob {
  job: Pick<Job, 'id' | 'attempt'>
  device: string
  instrument: Instrument
  space: RawDataSpace
  /** The files that the job is compiled from. */
  files: readonly { path: string; text: string }[]
  clock: Clock
  log: Log
}

/** What a job leaves behind under `save_raw_data`. */
export interface JobRecord {
  recorder: RunRecorder
  /** Name of its folder among all raw data. */
  name: string
  /**
   * Stores what the instrument was set to and the files that were used, once the job has run; nothing for a
   * job that ended before the instrument returned anything.
   */
  finish(): Promise<void>
}

/** Starts the folder of an attempt of a job: `<job>-<attempt>`. */
export function recordJob(recorded: RecordedJob): JobRecord {
  const { job, device, instrument, space, files, clock, log } = recorded
  const name = `${job.id}-${job.attempt}`
  const backend = `${device}+${instrument.backend}`
  const recorder = new RunRecorder(new RawDataFolder({ space, run: name, backend, clock }), log)
  return {
    recorder,
    name,
    async finish() {
      if (recorder.isEmpty) return
      for (const { path, text } of files) await recorder.addText(basename(path), text)
      const snapshot = {
        version: 1,
        taken_at: new Date(clock.now()).toISOString(),
        job: job.id,
        attempt: job.attempt,
        backend,
        instrument: await snapshotOf(instrument),
      }
      await recorder.addText('snapshot.json', `${JSON.stringify(snapshot, null, 1)}\n`)
    },
  }
}

/** The settings of an instrument; an instrument that does not answer any more has an error instead. */
async function snapshotOf(instrument: Instrument): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await instrument.snapshot?.()) ?? {}
  } catch (error) {
    return { error: messageOf(error) }
  }
}
