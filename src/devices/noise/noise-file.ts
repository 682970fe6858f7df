import { basename } from 'node:path'
import type { Log } from '../../base/index.ts'
import { WatchedFile } from '../chip/files/watched-file.ts'
import { type ReadNoise, readNoise } from './read-noise.ts'

/**
 * A noise model in a file, read again after the file has changed; see `WatchedFile`.
 * @throws StartupError with the problems of the file.
 */
export function openNoiseFile(path: string, log: Log): WatchedFile<ReadNoise> {
  return new WatchedFile<ReadNoise>({
    path,
    kind: 'a noise model',
    log,
    parse: (text) => readNoise({ name: basename(path), text }),
    onRead: ({ unrecognized }) => {
      if (unrecognized.length > 0)
        log.warn('names in a file are not used', { file: path, names: unrecognized })
    },
  })
}
