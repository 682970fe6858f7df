import { parse } from 'yaml'
import { messageOf } from '../../base/index.ts'
import type { Noise, NoiseSource } from '../../simulator/index.ts'
import { isDeviceFile, noiseOfDeviceFile } from './noise-of-device-file.ts'
import { readNoiseFile } from './read-noise-file.ts'

/** A noise model with the text it was read from. */
export type ReadNoise = Required<Noise>

/** Reads a noise model; returns the problems of an invalid text, one line each. */
export function readNoise(source: NoiseSource): ReadNoise | { problems: string[] } {
  try {
    const content: unknown = parse(source.text)
    const read = isDeviceFile(content) ? noiseOfDeviceFile : readNoiseFile
    const model = read(content, source.name)
    return 'problems' in model ? model : { source, model }
  } catch (error) {
    return { problems: [messageOf(error)] }
  }
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
