/**
 * A process device to start from: it "measures" every classical bit with a biased coin. Run it with
 *   svc driver start --operation process --device ./device.ts#coin -o bias=0.3 ...
 * The program provides `svc/devices`; nothing has to be installed.
 */
import { bitString, circuitResultOf, defineDevice, JobError, jobResultsOf, opt } from 'svc/devices'

/** Number of classical bits a program declares as `bit[n] name;` or `creg name[n];`. */
function classicalBits(program: string): number {
  const [, size] =
    /\bbit\s*\[(\d+)\]|\bcreg\s+\w+\[(\d+)\]/.exec(program)?.filter((part) => part !== undefined) ?? []
  if (size === undefined)
    throw new JobError('The program declares no classical bits', { errorCode: 'no_bits' })
  return Number(size)
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
        const results = job.payload.circuits.map((entry, circuitIndex) => {
          io.signal.throwIfAborted()
          const shots = entry.shots ?? job.payload.shots
          const clbits = classicalBits(entry.circuit)
          const counts: Record<string, number> = {}
          for (let shot = 0; shot < shots; shot++) {
            const key = bitString(Array.from({ length: clbits }, () => (rng.next() < options.bias ? 1 : 0)))
            counts[key] = (counts[key] ?? 0) + 1
          }
          const circuit = { qubits: clbits, clbits, qregs: [], cregs: [] }
          return circuitResultOf({ circuitIndex, circuit, shots, counts, metadata: {} })
        })
        return jobResultsOf(device, results, { device })
      },
    }
  },
})
