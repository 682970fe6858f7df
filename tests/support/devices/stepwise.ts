import { existsSync, readFileSync } from 'node:fs'
import { circuitResultOf, defineDevice, jobResultsOf, opt } from 'svc/devices'

/** What `--device` is for a driver with this processor. */
export const STEPWISE = `${import.meta.path}#stepwise`

/** A processor whose circuits end one by one, as the file `gate` grows, at a progress that stays the same. */
export const stepwise = defineDevice({
  operation: 'process',
  name: 'stepwise',
  options: { gate: opt.string({ help: 'File to wait for', required: true, example: 'gate' }) },
  create: ({ device, options, clock }) => ({
    async run({ payload: { circuits, shots } }, io) {
      io.progress?.(0.5)
      const results: ReturnType<typeof circuitResultOf>[] = []
      for (const index of circuits.keys()) {
        while (!existsSync(options.gate) || readFileSync(options.gate).length <= index)
          await clock.sleep(10, io.signal)
        const circuit = { qubits: 1, clbits: 1, qregs: [], cregs: [] }
        const counts = { 0: shots }
        const result = circuitResultOf({ circuitIndex: index, circuit, shots, counts, metadata: {} })
        io.result?.(index, result)
        results.push(result)
      }
      return jobResultsOf(device, results, {})
    },
  }),
})
