import { existsSync } from 'node:fs'
import { circuitResultOf, defineDevice, jobResultsOf, opt } from 'svc/devices'

/** What `--device` is for a driver with this processor. */
export const GATED = `${import.meta.path}#gated`

/** A processor that completes each job once the file `gate` exists, after 10 ms at least. */
export const gated = defineDevice({
  operation: 'process',
  name: 'gated',
  options: { gate: opt.string({ help: 'File to wait for', required: true, example: 'gate' }) },
  create: ({ device, options, clock }) => ({
    async run({ payload: { shots } }, io) {
      do await clock.sleep(10, io.signal)
      while (!existsSync(options.gate))
      const circuit = { qubits: 1, clbits: 1, qregs: [], cregs: [] }
      const result = circuitResultOf({
        circuitIndex: 0,
        circuit,
        shots,
        counts: { '0': shots },
        metadata: {},
      })
      return jobResultsOf(device, [result], {})
    },
  }),
})
