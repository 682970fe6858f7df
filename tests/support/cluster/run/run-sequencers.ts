import { STEPS_PER_HERTZ } from '../../../../src/devices/bench/sequencer/sequence.ts'
import type { SequencerEvent } from '../../sequencer/language/emulate.ts'
import type { ScopePath } from '../module/acquisition-list.ts'
import type { FakeModule } from '../module/module.ts'
import type { FakeSequencer } from '../module/sequencer.ts'
import { type Playback, playbackOf } from './playback.ts'
import type { AcquisitionSource, PlayedSequencer, Recording } from './played-run.ts'

/** A sequencer with the module that it is part of. */
export interface Running {
  module: FakeModule
  number: number
  sequencer: FakeSequencer
}

/** Longest trace of a scope, samples. */
const SCOPE_SAMPLES = 16_384
/** Steps of a scope sample at full scale: 12 bits, of a QRC 15. */
const SCOPE_STEPS = { QRM: 2 ** 11, QRC: 2 ** 14 }

/**
 * Plays the programs of sequencers that run together, and stores what they record. A program that cannot be
 * played sets the flags of its sequencer.
 */
export async function runSequencers(all: readonly Running[], source: AcquisitionSource): Promise<void> {
  const runs = new Map(all.map(({ sequencer }) => [sequencer, sequencer.run]))
  const played: { running: Running; played: PlayedSequencer }[] = []
  for (const running of all) {
    const playback = await playbackIn(running)
    if (playback) played.push({ running, played: playedBy(running, playback) })
  }
  const recordings = await source.record({ sequencers: played.map((each) => each.played) })
  for (const { running, played: each } of played) {
    // One that was stopped meanwhile writes nothing.
    if (running.sequencer.run !== runs.get(running.sequencer)) continue
    store(running, each, recordings.get(each) ?? [])
    running.sequencer.finish()
  }
}

async function playbackIn({ sequencer }: Running): Promise<Playback | undefined> {
  const [output] = sequencer.config.awg
  try {
    const hz = Math.round((output?.nco.freq_hz ?? 0) * STEPS_PER_HERTZ) / STEPS_PER_HERTZ
    return await playbackOf(sequencer.program, { hz, phase: (output?.nco.po ?? 0) / 360 })
  } catch {
    sequencer.flag('error', 'SEQUENCE PROCESSOR RT EXEC ILLEGAL INSTRUCTION')
    sequencer.finish()
    return undefined
  }
}

function playedBy({ module, number, sequencer }: Running, playback: Playback): PlayedSequencer {
  const integrationNs = sequencer.config.acq[0]?.th_acq.non_weighed_integration_len ?? 0
  return {
    ...playback,
    ...{ slot: module.slot, sequencer: number, module: module.name, config: sequencer.config },
    ...{ outputs: sequencer.outputs, inputs: sequencer.inputs, frontEnd: module.frontEnd.values },
    ...{ waveforms: sequencer.waveforms.samples, integrationNs },
  }
}

type Acquire = Extract<SequencerEvent, { kind: 'acquire' }>

function store(running: Running, played: PlayedSequencer, recordings: readonly Recording[]): void {
  const acquires = played.events.filter((event): event is Acquire => event.kind === 'acquire')
  for (const [index, acquire] of acquires.entries()) {
    const recording = recordings[index]
    if (!recording) throw new Error(`the source has no recording for acquisition ${index}`)
    addToBins(running, played, recording, acquire, played.binSteps[index] ?? 0)
  }
  const [first] = recordings
  const { module, number } = running
  if (!first || !module.scopeConfig.sel_path.includes(number)) return
  const isAveraged = module.scopeConfig.avg_en_path.every(Boolean)
  const length = Math.min(played.integrationNs, SCOPE_SAMPLES)
  module.recordScope(async () => scopeOf(played, await first.trace(length), acquires[0], isAveraged))
}

function addToBins(
  { sequencer }: Running,
  played: PlayedSequencer,
  recording: Recording,
  { acquisition, bin }: Acquire,
  step: number,
): void {
  const target = sequencer.acquisitions.bins.get(acquisition)
  for (let repetition = 0; repetition < recording.i.length; repetition++) {
    const at = bin + repetition * step
    if (!target) sequencer.flag('warning', 'ACQ INDEX INVALID')
    else if (at < 0 || at >= target.count) sequencer.flag('warning', 'ACQ BIN INDEX INVALID')
    else target.add(at, summed(played, recording, repetition))
  }
}

/** What one entry of a recording adds to its bin. */
function summed(played: PlayedSequencer, { i, q }: Recording, at: number) {
  const recordings = i.length === 1 ? played.repetitions : 1
  const factor = played.integrationNs / (played.module === 'QRC' ? 2 : 1)
  const [sumI, sumQ] = [(i[at] ?? 0) * factor, (q[at] ?? 0) * factor]
  const threshold = played.config.acq[0]?.th_acq
  const rotated = sumI * (threshold?.rotation_matrix_a11 ?? 1) + sumQ * (threshold?.rotation_matrix_a12 ?? 0)
  return {
    ...{ i: sumI * recordings, q: sumQ * recordings, recordings },
    ones: rotated > (threshold?.discr_threshold ?? 0) ? recordings : 0,
  }
}

/** The samples before demodulation, which is what a scope shows. */
function scopeOf(
  played: PlayedSequencer,
  trace: { i: Float64Array; q: Float64Array },
  acquire: Acquire | undefined,
  isAveraged: boolean,
): readonly ScopePath[] {
  const isQrc = played.module === 'QRC'
  const repetitions = isAveraged ? played.repetitions : 1
  const scale = repetitions * SCOPE_STEPS[isQrc ? 'QRC' : 'QRM']
  const isDemodulated = played.config.acq[0]?.demod.en === true
  const { hz, turns, since, phase } = acquire?.output ?? { hz: 0, turns: 0, since: 0, phase: 0 }
  const paths = [new Int32Array(trace.i.length), new Int32Array(trace.i.length)] as const
  for (let t = 0; t < trace.i.length; t++) {
    const elapsed = (acquire?.t ?? 0) + t - since
    const angle = isDemodulated ? 2 * Math.PI * (turns + phase + (hz * elapsed) / 1e9) : 0
    const [i, q] = [trace.i[t] ?? 0, trace.q[t] ?? 0]
    paths[0][t] = Math.round((i * Math.cos(angle) - q * Math.sin(angle)) * scale)
    paths[1][t] = Math.round((i * Math.sin(angle) + q * Math.cos(angle)) * scale)
  }
  const recorded = paths.map((samples) => ({ samples, isOutOfRange: false, repetitions }))
  return isQrc ? [...recorded, ...recorded] : recorded
}
