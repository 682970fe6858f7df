/** A thread that runs circuits of the simulator. It is an entry point of its own in the executable. */
import { serveCircuits } from '../../simulator/index.ts'
import { NoiseReader } from '../noise/read-noise.ts'

declare const self: Worker

const reader = new NoiseReader()
serveCircuits(self, (source) => reader.read(source).model)
