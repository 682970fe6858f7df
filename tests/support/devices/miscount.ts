/**
 * A device whose counts are off by what a comment of the circuit says: by `extra` shots, of which it says
 * that it has `discarded` some, in outcomes of `width` bits, and in a number of `results`. With `device_file`
 * it says that such a file changed meanwhile.
 */
import { circuitResultOf, defineDevice, jobResultsOf } from 'svc/devices'

export const miscount = defineDevice({
  operation: 'process',
  name: 'miscount',
  create: ({ device }) => ({
    async run({ payload }, io) {
      const [line = ''] = (payload.circuits[0]?.circuit ?? '').split('\n')
      const said = (name: string, otherwise: number) =>
        Number(new RegExp(`${name}=(-?\\d+)`).exec(line)?.[1] ?? otherwise)
      const file = (digit: string) => ({ sha256: digit.repeat(64), modified_at: '2026-01-31T08:00:00.000Z' })
      if (line.includes('device_file')) io.ranWith?.({ device_file: { before: file('a'), after: file('b') } })
      const width = said('width', 2)
      const discarded = said('discarded', 0)
      const { shots } = payload
      const one = circuitResultOf({
        circuitIndex: 0,
        circuit: { qubits: 1, clbits: width, qregs: [['q', 1]], cregs: [['c', width]] },
        shots,
        counts: { ['0'.repeat(width)]: shots + said('extra', 0) },
        metadata: {},
        ...(discarded > 0 && { discardedShots: discarded }),
      })
      return jobResultsOf(device, Array(said('results', 1)).fill(one), {})
    },
  }),
})
