import type { Sequence } from '../../sequencer/sequence.ts'
import type { ClusterLinks, Link } from '../dialect/links.ts'
import { assertNoErrors, quoted } from '../dialect/module-errors.ts'
import type { SequencerPlace } from '../plan/sequencer-places.ts'

/** The name of the one acquisition of a sequence, whose bins are numbered through. */
export const ACQUISITION = '0'

/** Sequences in the memory of sequencers, as far as they are known. */
export class LoadedSequences {
  readonly #links: ClusterLinks
  readonly #loaded = new Map<string, Sequence>()

  constructor(links: ClusterLinks) {
    this.#links = links
  }

  /** Forgets everything: another client may have changed it. */
  forget(): void {
    this.#loaded.clear()
  }

  /**
   * Uploads a sequence: waveforms, acquisitions, program. One that is there already only gets empty bins.
   * @throws InstrumentError with the words of the module when it refuses the sequence.
   */
  async load({ slot, sequencer }: SequencerPlace, sequence: Sequence): Promise<void> {
    const link = this.#links.module(slot)
    const key = `${slot}.${sequencer}`
    const before = this.#loaded.get(key)
    const hasBins = Object.keys(sequence.acquisitions).length > 0
    const name = (command: string) => `SEQuencer${sequencer}:${command}`
    if (Bun.deepEquals(before, sequence)) {
      if (hasBins) await link.send(name('ACQ:ALISt:ACQuisition:DATA:DELete "all"'))
      return
    }
    this.#loaded.delete(key)
    if (!Bun.deepEquals(before?.waveforms, sequence.waveforms)) await loadWaveforms(link, name, sequence)
    if (hasBins) {
      if (!before) await link.send(name('ACQ:WLISt:WEIght:DELete "all"'))
      await link.send(name('ACQ:ALISt:ACQuisition:DELete "all"'))
      for (const [each, { index, bins }] of Object.entries(sequence.acquisitions)) {
        await link.send(name(`ACQ:ALISt:ACQuisition:NEW "${each}",${bins}`))
        await link.send(name(`ACQ:ALISt:ACQuisition:INDex "${each}",${index}`))
      }
    }
    if (before?.program !== sequence.program) {
      await link.send(name('PROGram'), new TextEncoder().encode(sequence.program))
    }
    await this.#checkUpload({ slot, sequencer }, link)
    this.#loaded.set(key, sequence)
  }

  /** The assembler of the module says more about a program that it refuses than its error queue. */
  async #checkUpload({ slot, sequencer }: SequencerPlace, link: Link): Promise<void> {
    await assertNoErrors(link, `the module in slot ${slot} refused a sequence`, async (messages) => {
      if (!messages.some((message) => /assembl/i.test(message))) return ''
      const log = await link.queryBlock('STATus:ASSEMbler:LOG?')
      return ` (assembler, sequencer ${sequencer}: ${quoted(log.toString('utf8'))})`
    })
  }
}

async function loadWaveforms(link: Link, name: (command: string) => string, { waveforms }: Sequence) {
  await link.send(name('AWG:WLISt:WAVeform:DELete "all"'))
  for (const [each, { index, data }] of Object.entries(waveforms)) {
    await link.send(name(`AWG:WLISt:WAVeform:NEW "${each}",${data.length},0`))
    const samples = new DataView(new ArrayBuffer(4 * data.length))
    for (const [at, sample] of data.entries()) samples.setFloat32(4 * at, sample, true)
    await link.send(name(`AWG:WLISt:WAVeform:DATA "${each}",`), new Uint8Array(samples.buffer))
    await link.send(name(`AWG:WLISt:WAVeform:INDex "${each}",${index}`))
  }
}
