import { dirname, resolve } from 'node:path'
import type { DeviceFile } from '../../chip/device-file.ts'
import { readText } from '../../chip/files/watched-file.ts'
import type { TunerOptions } from '../tuner-options.ts'
import { importedFiles } from './imported-files.ts'

/** The part of a basis that a run itself changes at its end. */
export const DEVICE_FILE = 'device file'

/** What the steps of a run follow beside the chip, by what it is: all of it has to be the same. */
export type RunBasis = Readonly<Record<string, string>>

interface Followed {
  readonly file: DeviceFile
  readonly options: TunerOptions
  /** Import paths of the modules with routines of one's own, relative to the folder of `calibration.yml`. */
  readonly modules: Iterable<string>
  /** Hashes of the files of which routines in Python consist, by path. */
  readonly pythonFiles?: Readonly<Record<string, string>> | undefined
}

/** Hashes of the texts that a run follows. */
export function runBasis({ file, options, modules: paths, pythonFiles = {} }: Followed): RunBasis {
  const { calibration_config: config, scheduler_hardware_config: hardware } = options
  const modules = Array.from(paths, (path) => resolve(dirname(config), path.split('#')[0] ?? ''))
  return {
    [DEVICE_FILE]: hashOf(file.yaml.text),
    'calibration file': hashOf(contentOf(config)),
    'hardware file': hashOf(hardware === undefined ? '' : contentOf(hardware)),
    'routines of the calibration file': hashOf(
      JSON.stringify([...importedFiles(modules), ...Object.entries(pythonFiles).sort()]),
    ),
    'options of the tuner': hashOf(JSON.stringify(options)),
  }
}

function contentOf(path: string): string {
  const text = readText(path)
  return typeof text === 'string' ? text : ''
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}
