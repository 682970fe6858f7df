/**
 * A process device to start from: it "measures" every classical bit with a biased coin. Run it with
 *   svc driver start --operation process --device ./device.ts#coin -o bias=0.3 ...
 * The program provides `svc/devices`; nothing has to be installed.
 */
import { bitString, circuitResultOf, defineDevice, JobError, jobResultsOf, opt } from 'svc/devices'

/** Number of classical bits a program declares as `bit[n] name;`, `bit name;` or `creg name[n];`. */
function classicalBits(program: string): number {
  const declared = program.matchAll(/\bbit\s*(?:\[(\d+)\])?\s+\w+\s*[;=]|\bcreg\s+\w+\[(\d+)\]/g)
  const sizes = [...declared].map(([, bits, creg]) => Number(bits ?? creg ?? 1))
  if (sizes.length === 0)
    throw new JobError('The program declares no classical bits', { errorCode: 'no_bits' })
  return sizes.reduce((sum, size) => sum + size, 0)
}

export const coin = defineDevice({
  operation: 'process',
  name: 'coin',
  options: { bias: opt.number({ help: 'Probability of reading 1', min: 0, max: 1, default: 0.5 }) },
  create({ device, options, random, log }) {
    log.info('coin ready', { bias: options.bias })
    return {
      async run(job, io) {
        const rng = random(job.payload.seed)
        const results = job.payload.circuits.flatMap((entry, circuitIndex) => {
          io.signal.throwIfAborted()
          const shots = entry.shots ?? job.payload.shots
          const clbits = classicalBits(entry.circuit)
          const circuit = { qubits: clbits, clbits, qregs: [], cregs: [] }
          const sets = Math.max(1, entry.parameter_values?.length ?? 0)
          return Array.from({ length: sets }, () => {
            const counts: Record<string, number> = {}
            for (let shot = 0; shot < shots; shot++) {
              const key = bitString(Array.from({ length: clbits }, () => (rng.next() < options.bias ? 1 : 0)))
              counts[key] = (counts[key] ?? 0) + 1
            }
            return circuitResultOf({ circuitIndex, circuit, shots, counts, metadata: {} })
          })
        })
        return jobResultsOf(device, results, { device })
      },
    }
  },
})
