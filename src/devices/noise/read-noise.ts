import type { Noise, NoiseSource } from '../../simulator/index.ts'
import { isDeviceFile, readDeviceFile } from '../chip/device-file.ts'
import { parseYaml } from '../chip/files/yaml-text.ts'
import type { DescribedChip, Timing } from './describe-chip.ts'
import { describedChipOf, noiseOfDeviceFile, timingOf } from './noise-of-device-file.ts'
import { chipOfNoiseFile, readNoiseFile, timingOfNoiseFile } from './read-noise-file.ts'

/** A noise model with the text it was read from. */
export type ReadNoise = Required<Noise> & {
  /** The chip that the text is about; undefined for a text about no chip in particular. */
  chip(): DescribedChip | undefined
  /** Durations that hold for all of its qubits. */
  timing: Timing
  /** Names in the text that nothing uses. */
  unrecognized: readonly string[]
}

/** Reads a noise model; returns the problems of an invalid text, one line each. */
export function readNoise(source: NoiseSource): ReadNoise | { problems: string[] } {
  const yaml = parseYaml(source.text)
  if ('problems' in yaml) return yaml
  const { content } = yaml
  if (isDeviceFile(content)) {
    const file = readDeviceFile(source.text)
    if ('problems' in file) return file
    const model = noiseOfDeviceFile(file, source.name)
    const { chip, unrecognized } = file
    return { source, model, chip: () => describedChipOf(chip), timing: timingOf(chip), unrecognized }
  }
  const model = readNoiseFile(content, source.name)
  if ('problems' in model) return model
  const timing = timingOfNoiseFile(content)
  return { source, model, chip: () => chipOfNoiseFile(content), timing, unrecognized: [] }
}

/** Reads the noise model of each job; an unchanged text is not read again. */
export class NoiseReader {
  #last: ReadNoise | undefined

  /** @throws TypeError for an invalid text: callers pass only texts that were read before. */
  read(source: NoiseSource): ReadNoise {
    if (this.#last && isSame(this.#last.source, source)) return this.#last
    const read = readNoise(source)
    if ('problems' in read) throw new TypeError(`${source.name} is not a noise model: ${read.problems[0]}`)
    this.#last = read
    return read
  }
}

function isSame(one: NoiseSource, other: NoiseSource): boolean {
  return one.name === other.name && one.text === other.text
}
