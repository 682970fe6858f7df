import { checkProgram } from '../pulse/check-program.ts'
import type { Acquisition, AcquisitionKind, Program } from '../pulse/schedule.ts'
import type { AcquisitionOf, Acquisitions, Instrument } from './instrument.ts'

type Zeros = { [Kind in AcquisitionKind]: (window: Acquisition, shots: number) => AcquisitionOf[Kind] }

const ZEROS: Zeros = {
  average: () => ({ re: 0, im: 0 }),
  shots: (_, shots) => ({ i: new Float64Array(shots), q: new Float64Array(shots) }),
  trace: ({ duration }) => ({ i: new Float64Array(duration), q: new Float64Array(duration) }),
}

/** An instrument without a chip: results of the right shape, all zero. */
export function createDummyInstrument(): Instrument {
  return {
    backend: 'dummy',
    open: async () => undefined,
    close: async () => undefined,
    async run<Kind extends AcquisitionKind>(program: Program<Kind>, signal: AbortSignal) {
      signal.throwIfAborted()
      checkProgram(program)
      const zeros: Zeros[Kind] = ZEROS[program.kind]
      const points: Acquisitions<Kind> = program.points.map(({ acquisitions }) =>
        acquisitions.map((window) => zeros(window, program.shots)),
      )
      return points
    },
  }
}
