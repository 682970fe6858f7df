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
    async run({ payload: { circuits, shots } }, io) {
      do await clock.sleep(10, io.signal)
      while (!existsSync(options.gate))
      const [, size] = /\bbit(?:\[(\d+)\])? /.exec(circuits[0]?.circuit ?? '') ?? []
      const clbits = Number(size ?? 1)
      const circuit = { qubits: clbits, clbits, qregs: [], cregs: [] }
      const result = circuitResultOf({
        circuitIndex: 0,
        circuit,
        shots,
        counts: { ['0'.repeat(clbits)]: shots },
        metadata: {},
      })
      return jobResultsOf(device, [result], {})
    },
  }),
})
