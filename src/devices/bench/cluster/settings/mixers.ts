import type { ClusterLinks } from '../dialect/links.ts'
import { assertNoErrors } from '../dialect/module-errors.ts'
import type { ClusterPort } from '../plan/cluster-ports.ts'
import type { SequencerPlace } from '../plan/sequencer-places.ts'
import { channelMapOf, UNCONNECTED } from './channel-map.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { IDLE } from './sequencer-config.ts'

/** What takes off the imbalance of a mixer: the ratio of the two amplitudes, and degrees between them. */
interface MixerCorrection {
  gainRatio: number
  phaseDegrees: number
}

/** A calibration of a mixer holds for tones that are closer to each other than this, Hz. */
const HOLDS_WITHIN_HZ = 10e6

/**
 * The mixers behind the outputs of RF modules, which the modules calibrate themselves. That takes seconds,
 * and is repeated only when the frequency that it was done for has changed.
 */
export class Mixers {
  readonly #links: ClusterLinks
  readonly #settings: ClusterSettings
  /** By sequencer, what its module found last. */
  readonly #found = new Map<string, MixerCorrection>()

  constructor(links: ClusterLinks, settings: ClusterSettings) {
    this.#links = links
    this.#settings = settings
  }

  /** Calibrates the leakage of the oscillator of a port, when the hardware file asks for it. */
  async calibrateOscillator(port: ClusterPort): Promise<void> {
    const { channel, output, settings, loHz = 0, name } = port
    const { calibratesOscillator: when } = settings.mixer
    if (when === 'off') return
    const isOfTone = when === 'on_lo_interm_freq_change'
    const setting = `MIXer:LO:CALIB ${output}`
    await this.#settings.set(
      channel.slot,
      isOfTone ? `${setting} for ${name}` : setting,
      isOfTone ? `${loHz} Hz, ${toneOf(port)}` : `${loHz} Hz`,
      () => this.#run(channel.slot, setting, `the oscillator of ${channel.name}`),
    )
  }

  /** What corrects the mixer of a port: numbers of the hardware file, or what the module finds. */
  async correctionOf(port: ClusterPort, place: SequencerPlace): Promise<MixerCorrection> {
    const { channel, settings, loHz = 0, name } = port
    const { gainRatio, phaseDegrees, calibratesSideband } = settings.mixer
    const given = { gainRatio, phaseDegrees }
    if (!calibratesSideband || !hasMixer(port)) return given
    const { slot, sequencer } = place
    const setting = `MIXer:SIDEbands:CALIB ${sequencer}`
    const key = `${slot}.${sequencer}`
    await this.#settings.set(slot, setting, `${name}, ${loHz} Hz, ${toneOf(port)}`, async () => {
      await this.#settings.wire(place, {
        setup: { ...IDLE, gain: [1, 1], isModulated: true, ncoHz: port.toneHz - loHz },
        outputs: channelMapOf(channel),
        inputs: UNCONNECTED,
      })
      await this.#run(slot, setting, `the sidebands of ${name}`)
      const { awg } = await this.#settings.readAgain(place)
      const { corr_gain_ratio, corr_phase_offset_degree } = awg[0]?.mixer ?? {}
      this.#found.set(key, {
        gainRatio: corr_gain_ratio ?? gainRatio,
        phaseDegrees: corr_phase_offset_degree ?? phaseDegrees,
      })
    })
    return this.#found.get(key) ?? given
  }

  /** Has a module calibrate, and waits for it. Only the cluster understands these commands, with a prefix. */
  async #run(slot: number, command: string, what: string): Promise<void> {
    // Commands for the module itself are carried out first, as they may come another way.
    await assertNoErrors(this.#links.module(slot), `the module in slot ${slot} refused settings`)
    await this.#links.prefixed(slot).send(command)
    await assertNoErrors(this.#links.prefixed(slot), `the module in slot ${slot} could not calibrate ${what}`)
  }
}

/** Whether a port is behind a mixer: baseband modules have none, a QRC plays its tones directly. */
export function hasMixer({ channel }: Pick<ClusterPort, 'channel'>): boolean {
  return channel.kind.isRf && channel.module !== 'QRC'
}

/** The first tone of a port, rounded to what one calibration holds for. */
function toneOf({ toneHz, loHz = 0 }: ClusterPort): string {
  return `${Math.round((toneHz - loHz) / HOLDS_WITHIN_HZ)}`
}
