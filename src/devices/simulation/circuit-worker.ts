/** Entry point of a thread that runs circuits of the simulator. */
import { serveWorker } from '../../base/index.ts'
import { circuitHandler } from '../../simulator/index.ts'
import { NoiseReader } from '../noise/read-noise.ts'
import type { circuitWorker } from './circuit-worker-entry.ts'

const reader = new NoiseReader()
serveWorker<typeof circuitWorker>(circuitHandler((source) => reader.read(source).model))
