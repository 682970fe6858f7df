import type { Hardware } from '../../../chip/hardware/hardware-file.ts'
import type { AcquisitionKind, Program } from '../../../pulse/schedule.ts'
import type { Acquisitions } from '../../instrument.ts'
import { compileProgram } from '../../sequencer/compile/compile-program.ts'
import type { CompiledRun } from '../../sequencer/compile/compiled-run.ts'
import { ClusterError } from '../connection/reply.ts'
import { checkLines } from '../plan/check-lines.ts'
import { type ClusterPorts, clusterPortsOf } from '../plan/cluster-ports.ts'
import type { SequencerPlaces } from '../plan/sequencer-places.ts'
import { type RecordedAcquisition, readAcquisitions } from './acquisitions.ts'
import { type PlayedPort, type Player, play, prepare } from './play.ts'
import { ProgramResults } from './results.ts'
import { scopeGroups, selectScope } from './scope.ts'
import { ACQUISITION } from './upload.ts'

/**
 * Plays a program in as many runs as the memory of the modules needs, and collects what they record.
 * @throws ProgramError, InstrumentError, ClusterError; the reason of the signal.
 */
export async function runProgram<Kind extends AcquisitionKind>(
  program: Program<Kind>,
  hardware: Hardware,
  places: SequencerPlaces,
  player: Player,
): Promise<{ results: Acquisitions<Kind>; warnings: string[] }> {
  const ports = clusterPortsOf(hardware, program)
  checkLines(program, ports.all)
  const results = new ProgramResults(program)
  const warnings = new Set<string>()
  for (const run of compileProgram(program, ports)) {
    player.signal.throwIfAborted()
    const played = playedPorts(run, ports, places)
    await prepare(played, player)
    const playOnce = async () => {
      for (const warning of await play(run, played, player)) warnings.add(warning)
    }
    if (program.kind === 'trace') await recordTraces(program, ports, played, results, player, playOnce)
    else {
      await playOnce()
      await recordBins(run, played, results, player)
    }
  }
  return { results: results.all<Kind>(), warnings: [...warnings] }
}

function playedPorts(run: CompiledRun, ports: ClusterPorts, places: SequencerPlaces): PlayedPort[] {
  const used = [...run.ports].flatMap(([name, compiled]) => {
    const port = ports.all.get(name)
    return port ? [{ name, port, compiled }] : []
  })
  const placeOf = places.of(used.map(({ port }) => port))
  return used.flatMap((each) => {
    const place = placeOf.get(each.name)
    return place ? [{ ...each, place }] : []
  })
}

async function recordBins(
  run: CompiledRun,
  played: readonly PlayedPort[],
  results: ProgramResults,
  player: Player,
): Promise<void> {
  for (const each of played) {
    if (each.compiled.placements.length === 0) continue
    const { bins } = await acquisitionOf(each, player)
    results.addBins(run, each.compiled, bins, isQrc(each))
  }
}

/** Plays a run once for each sequencer of a module that records, because its scope follows one. */
async function recordTraces(
  program: Program,
  ports: ClusterPorts,
  played: readonly PlayedPort[],
  results: ProgramResults,
  player: Player,
  playOnce: () => Promise<void>,
): Promise<void> {
  for (const group of scopeGroups(played)) {
    for (const each of group) await selectScope(player.links, each.place)
    await playOnce()
    for (const each of group) {
      const { links } = player
      const { slot, sequencer } = each.place
      await links.module(slot).send(`SEQuencer${sequencer}:ACQ:ALISt:ACQuisition:DATA "${ACQUISITION}"`)
      const recorded = await acquisitionOf(each, player)
      for (const placement of each.compiled.placements) {
        const window = program.points[placement.point]?.acquisitions[placement.acquisition]
        const ncoHz = ports.ncoHz(each.name, window?.frequency ?? 0)
        results.addTrace(placement, recorded, ncoHz, isQrc(each))
      }
    }
  }
}

async function acquisitionOf(played: PlayedPort, { links, signal }: Player): Promise<RecordedAcquisition> {
  signal.throwIfAborted()
  const { slot, sequencer } = played.place
  const command = `SEQuencer${sequencer}:ACQ:ALISt?`
  const all = await links.bulk(slot).exchange(command, readAcquisitions(isQrc(played)))
  const recorded = all.find(({ name }) => name === ACQUISITION)
  if (!recorded)
    throw new ClusterError(`sequencer ${sequencer} in slot ${slot} has no acquisition ${ACQUISITION}`)
  return recorded
}

function isQrc({ port }: PlayedPort): boolean {
  return port.channel.module === 'QRC'
}
