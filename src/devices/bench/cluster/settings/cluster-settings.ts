import type { ModuleKind } from '../../../chip/hardware/modules.ts'
import type { ClusterLinks } from '../dialect/links.ts'
import type { SequencerPlace } from '../plan/sequencer-places.ts'
import { type ChannelMap, UNCONNECTED } from './channel-map.ts'
import {
  IDLE,
  readSequencerConfig,
  type SequencerConfig,
  type SequencerSetup,
  withSetup,
} from './sequencer-config.ts'

/** How a sequencer is set up and connected. */
interface Wiring {
  setup: SequencerSetup
  outputs: ChannelMap
  inputs: ChannelMap
}

const AT_REST: Wiring = { setup: IDLE, outputs: UNCONNECTED, inputs: UNCONNECTED }

/** What a sequencer is known to have. */
interface Known {
  config: SequencerConfig
  configText: string
  outputs: string
  inputs: string
  isAtRest: boolean
}

/**
 * The settings of a cluster, as far as they are known: what is set already is not sent again. After another
 * client has used the cluster nothing is known, and `rest` sets every sequencer.
 */
export class ClusterSettings {
  readonly #links: ClusterLinks
  readonly #modules: ReadonlyMap<number, ModuleKind>
  readonly #sequencers = new Map<string, Known>()
  readonly #values = new Map<string, string>()
  /** The last configuration of each sequencer that has played, without those at rest. */
  readonly #played = new Map<string, Wiring & { config: SequencerConfig }>()

  /** @param modules kinds of the modules that are used, by slot */
  constructor(links: ClusterLinks, modules: ReadonlyMap<number, ModuleKind>) {
    this.#links = links
    this.#modules = modules
  }

  /** Forgets everything: another client may have changed it. */
  forget(): void {
    this.#sequencers.clear()
    this.#values.clear()
  }

  /**
   * Stops all sequencers and disconnects them from outputs, inputs and each other. Oscillators, attenuators
   * and static voltages stay as they are: a voltage may park a coupler.
   * @returns once all of it is done, what the modules have in their error queues.
   */
  async rest(): Promise<string[]> {
    await this.#links.stop([...this.#modules.keys()])
    for (const [slot, { sequencers }] of this.#modules) {
      for (let sequencer = 0; sequencer < sequencers; sequencer++) {
        const known = this.#sequencers.get(keyOf({ slot, sequencer }))
        if (known?.isAtRest) continue
        await this.wire({ slot, sequencer }, AT_REST)
        // What a stop has left is no failure of the next run.
        await this.#links.prefixed(slot).send(`SEQuencer${sequencer}:CLR:FLAGS`)
      }
    }
    // Commands without a reply may be under way: a question after them is answered when they are done.
    const errors: string[] = []
    for (const slot of this.#modules.keys()) errors.push(...(await this.#links.module(slot).takeErrors()))
    return [...errors, ...(await this.#links.cluster.takeErrors())]
  }

  /** All that is known: values of modules, and what sequencers that have played had when they did. */
  describe(): { values: Record<string, string>; sequencers: Record<string, unknown> } {
    return { values: Object.fromEntries(this.#values), sequencers: Object.fromEntries(this.#played) }
  }

  /** Sets up a sequencer and connects it. */
  async wire(place: SequencerPlace, { setup, outputs, inputs }: Wiring): Promise<void> {
    const { slot, sequencer } = place
    const link = this.#links.module(slot)
    const hasInputs = (this.#modules.get(slot)?.inputs.length ?? 0) > 0
    const command = (name: string) => `SEQuencer${sequencer}:${name}`
    const known = this.#sequencers.get(keyOf(place)) ?? {
      config: await this.#configOf(place),
      configText: '',
      outputs: '',
      inputs: '',
      isAtRest: false,
    }
    const config = withSetup(known.config, setup)
    const texts = [JSON.stringify(config), JSON.stringify(outputs), JSON.stringify(inputs)] as const
    const [configText, outputsText, inputsText] = texts
    // Until all is sent, nothing of it is known.
    this.#sequencers.delete(keyOf(place))
    if (configText !== known.configText) await link.send(command('CONFiguration'), bytesOf(configText))
    if (outputsText !== known.outputs) await link.send(command('CHANnelmap'), bytesOf(outputsText))
    if (hasInputs && inputsText !== known.inputs) {
      await link.send(command('ACQ:CHANnelmap'), bytesOf(inputsText))
    }
    const isAtRest = setup === IDLE
    if (!isAtRest) this.#played.set(keyOf(place), { setup, outputs, inputs, config })
    this.#sequencers.set(keyOf(place), {
      config,
      configText,
      outputs: outputsText,
      inputs: inputsText,
      isAtRest,
    })
  }

  /** The configuration of a sequencer, which its module has changed. */
  async readAgain(place: SequencerPlace): Promise<SequencerConfig> {
    this.#sequencers.delete(keyOf(place))
    return this.#configOf(place)
  }

  /**
   * Sets a value of a module, or of the cluster as that in slot 0, by `send`, unless it is set already.
   * @returns whether it was sent.
   */
  async set(slot: number, name: string, value: string, send: () => Promise<unknown>): Promise<boolean> {
    const key = `${slot} ${name}`
    if (this.#values.get(key) === value) return false
    this.#values.delete(key)
    await send()
    this.#values.set(key, value)
    return true
  }

  async #configOf({ slot, sequencer }: SequencerPlace): Promise<SequencerConfig> {
    const block = await this.#links.module(slot).queryBlock(`SEQuencer${sequencer}:CONFiguration?`)
    return readSequencerConfig(block)
  }
}

function keyOf({ slot, sequencer }: SequencerPlace): string {
  return `${slot}.${sequencer}`
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
