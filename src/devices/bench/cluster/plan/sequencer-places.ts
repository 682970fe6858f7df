import { ProgramError } from '../../../pulse/check-program.ts'
import type { PortName } from '../../../pulse/schedule.ts'
import type { ClusterPort } from './cluster-ports.ts'

/** A sequencer of a module. */
export interface SequencerPlace {
  slot: number
  sequencer: number
}

/** Which sequencer plays which port. A port keeps its sequencer, and with it what is uploaded. */
export class SequencerPlaces {
  readonly #byModule = new Map<number, (PortName | undefined)[]>()

  /**
   * A sequencer for each of these ports, which play together.
   * @throws ProgramError when a module has too few.
   */
  of(ports: readonly ClusterPort[]): ReadonlyMap<PortName, SequencerPlace> {
    const places = new Map<PortName, SequencerPlace>()
    for (const [slot, members] of Map.groupBy(ports, ({ channel }) => channel.slot)) {
      for (const [name, sequencer] of this.#inModule(slot, members)) places.set(name, { slot, sequencer })
    }
    return places
  }

  #inModule(slot: number, ports: readonly ClusterPort[]): [PortName, number][] {
    const names = new Set(ports.map(({ name }) => name))
    const [first] = ports
    const count = first?.channel.kind.sequencers ?? 0
    if (first && names.size > count) {
      const all = [...names].join(', ')
      throw new ProgramError(
        first.name,
        `${first.channel.cluster}.module${slot} plays ${count} ports together, not ${names.size}: ${all}`,
      )
    }
    const users = this.#byModule.get(slot) ?? new Array<PortName | undefined>(count).fill(undefined)
    this.#byModule.set(slot, users)
    return [...names].map((name) => {
      let sequencer = users.indexOf(name)
      if (sequencer < 0) sequencer = users.findIndex((user) => user === undefined || !names.has(user))
      users[sequencer] = name
      return [name, sequencer]
    })
  }
}
