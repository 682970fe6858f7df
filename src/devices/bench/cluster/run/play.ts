import type { Clock } from '../../../../base/index.ts'
import type { PortName } from '../../../pulse/schedule.ts'
import { InstrumentError } from '../../instrument.ts'
import type { CompiledRun, PortSequence } from '../../sequencer/compile/compiled-run.ts'
import type { ClusterLinks } from '../dialect/links.ts'
import { assertNoErrors } from '../dialect/module-errors.ts'
import type { ClusterPort } from '../plan/cluster-ports.ts'
import type { SequencerPlace } from '../plan/sequencer-places.ts'
import { channelMapOf, UNCONNECTED } from '../settings/channel-map.ts'
import type { ClusterSettings } from '../settings/cluster-settings.ts'
import { setFrontEnd } from '../settings/front-end.ts'
import type { Mixers } from '../settings/mixers.ts'
import { doubtsOf, failuresOf, hasStopped, type SequencerStatus, statusOf } from './sequencer-status.ts'
import type { LoadedSequences } from './upload.ts'

/** A port of a run with its sequencer. */
export interface PlayedPort {
  name: PortName
  port: ClusterPort
  place: SequencerPlace
  compiled: PortSequence
}

/** What a run is played with. */
export interface Player {
  links: ClusterLinks
  settings: ClusterSettings
  loaded: LoadedSequences
  mixers: Mixers
  clock: Clock
  signal: AbortSignal
}

/** Time beside its own that a run may take, ms. */
const GRACE_MS = 5_000
/** Pauses between two questions whether the sequencers have stopped, ms. */
const FIRST_PAUSE_MS = 1
const MAX_PAUSE_MS = 20

/** Sets up and uploads everything that a run needs. */
export async function prepare(ports: readonly PlayedPort[], player: Player): Promise<void> {
  const { links, settings, loaded, mixers, signal } = player
  for (const { port, place, compiled } of ports) {
    signal.throwIfAborted()
    await setFrontEnd({ port, links, settings, mixers })
    await loaded.load(place, compiled.sequence)
    const { offset, gain } = port.settings
    const correction = await mixers.correctionOf(port, place)
    await settings.wire(place, {
      setup: {
        isSynced: true,
        offset,
        gain,
        isModulated: true,
        ncoHz: 0,
        ...correction,
        integrationNs: compiled.integrationNs,
      },
      outputs: channelMapOf(port.channel),
      inputs: port.input && compiled.integrationNs !== undefined ? channelMapOf(port.input) : UNCONNECTED,
    })
  }
}

/**
 * Arms and starts the sequencers of a run, and waits until all have stopped.
 * @returns what makes the results doubtful, a line for each port.
 * @throws InstrumentError when a module refuses, a sequencer fails, or one does not stop; the reason of the
 *   signal.
 */
export async function play(
  run: CompiledRun,
  ports: readonly PlayedPort[],
  { links, clock, signal }: Player,
): Promise<string[]> {
  const slots = [...new Set(ports.map(({ place }) => place.slot))]
  const checkAll = async (what: string) => {
    for (const slot of slots) await assertNoErrors(links.module(slot), `the module in slot ${slot} ${what}`)
  }
  for (const { place } of ports) await links.module(place.slot).send(`SEQuencer${place.sequencer}:ARM`)
  await checkAll('could not arm its sequencers')
  const expectedMs = (run.shots * run.repetitionNs) / 1e6
  const due = clock.monotonic() + expectedMs + GRACE_MS
  await links.start(slots)
  await checkAll('could not start its sequencers')
  await clock.sleep(expectedMs, signal)
  const warnings: string[] = []
  for (const each of ports) {
    const status = await stopped(each, due, { links, clock, signal })
    const failures = failuresOf(status)
    if (failures.length > 0) {
      const { slot, sequencer } = each.place
      throw new InstrumentError(
        `${each.name} failed: ${failures.join(', ')} (slot ${slot}, sequencer ${sequencer})`,
      )
    }
    warnings.push(...doubtsOf(status).map((flag) => `${each.name}: ${flag}`))
  }
  return warnings
}

async function stopped(
  { name, place: { slot, sequencer }, compiled }: PlayedPort,
  due: number,
  { links, clock, signal }: Pick<Player, 'links' | 'clock' | 'signal'>,
): Promise<SequencerStatus> {
  const records = compiled.integrationNs !== undefined
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    signal.throwIfAborted()
    const status = statusOf(await links.module(slot).query(`SEQuencer${sequencer}:STATE?`))
    if (hasStopped(status, records) || failuresOf(status).length > 0) return status
    if (clock.monotonic() >= due) {
      const flags = status.flags.length > 0 ? `, ${status.flags.join(', ')}` : ''
      throw new InstrumentError(
        `${name} does not stop: ${status.state}${flags} (slot ${slot}, sequencer ${sequencer})`,
      )
    }
    await clock.sleep(pauseMs, signal)
  }
}
