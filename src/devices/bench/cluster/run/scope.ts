import * as v from 'valibot'
import { ClusterError } from '../connection/reply.ts'
import type { ClusterLinks } from '../dialect/links.ts'
import type { SequencerPlace } from '../plan/sequencer-places.ts'
import type { PlayedPort } from './play.ts'

const config = v.looseObject({
  sel_path: v.array(v.number()),
  avg_en_path: v.array(v.boolean()),
  trig: v.looseObject({ mode_path: v.array(v.boolean()) }),
})

/**
 * The recorded ports in groups of which each has one of every module: the scope of a module follows one
 * sequencer a run.
 */
export function scopeGroups(ports: readonly PlayedPort[]): PlayedPort[][] {
  const recorded = ports.filter(({ compiled }) => compiled.placements.length > 0)
  const groups: PlayedPort[][] = []
  for (const members of Map.groupBy(recorded, ({ place }) => place.slot).values()) {
    for (const [index, member] of members.entries()) {
      const group = groups[index]
      if (group) group.push(member)
      else groups.push([member])
    }
  }
  return groups
}

/** Lets the scope of a module follow a sequencer, from its acquisitions on, and average over repetitions. */
export async function selectScope(links: ClusterLinks, place: SequencerPlace): Promise<void> {
  const link = links.module(place.slot)
  const block = await link.queryBlock('ACQ:SCOpe:CONFiguration?')
  let found: v.InferOutput<typeof config>
  try {
    found = v.parse(config, JSON.parse(block.toString('utf8')))
  } catch (cause) {
    throw new ClusterError('the configuration of the scope is not of the known form', { cause })
  }
  const wanted = {
    ...found,
    sel_path: found.sel_path.map(() => place.sequencer),
    avg_en_path: found.avg_en_path.map(() => true),
    trig: { ...found.trig, mode_path: found.trig.mode_path.map(() => false) },
  }
  await link.send('ACQ:SCOpe:CONFiguration', new TextEncoder().encode(JSON.stringify(wanted)))
}
