import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
process.once('exit', () => folder[Symbol.dispose]())
// Dozens of hosts in a file of tests would each read all of the sources again.
await Bun.build({
  entrypoints: ['host-main.ts', 'devices.ts'].map((name) => join(import.meta.dir, name)),
  outdir: folder.path,
  target: 'bun',
  splitting: true,
})

/** Starts a host of devices, of the sources as they are. */
export const HOST_ARGV = [process.execPath, join(folder.path, 'host-main.js')]
/** The devices of these tests, with the modules of that host. */
export const DEVICES = join(folder.path, 'devices.js')
