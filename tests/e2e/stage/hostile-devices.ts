import { CORPUS, hostile } from './hostile-texts.ts'

/** Of a driver, whose texts may contain a NUL. */
const text = (limit: number) => JSON.stringify(`\u202e${hostile(limit - 2)}\0`)

/** Devices on a compromised machine: everything that they report contains markup. */
export const HOSTILE_DEVICES = `
import { CalibrationError, defineDevice, JobError } from 'svc/devices'
const NAME = ${text(100)}
const LONG = ${text(1_900)}
const CORPUS = ${JSON.stringify(CORPUS.map((each) => `${each}\0`))}
export const evil = () => ({
  describe: () => ({
    schema: 1,
    qubits: [{ name: NAME, t1_s: 1e-5, readout_error: 0.01 }, { name: ${text(50)} }],
    gates: [{ name: NAME, params: [NAME], on: [{ qubits: [0, 1], error: 0.01 }] }],
  }),
  async run(job) {
    if (job.payload.shots === 1) throw new JobError(LONG, { class: 'user' })
    const counts = Object.fromEntries(CORPUS.map((key) => [key, 1]))
    const sizes = [[LONG, 1]]
    const header = { name: LONG, n_qubits: 1, memory_slots: 1, creg_sizes: sizes, qreg_sizes: sizes, metadata: { [NAME]: LONG } }
    const result = { shots: 8, counts, header, metadata: { [NAME]: LONG } }
    return { success: true, backend: LONG, shots: 8, counts, circuit_results: [result], metadata: { [NAME]: LONG } }
  },
})
export const reader = defineDevice({
  operation: 'monitor',
  name: 'reader',
  create: () => ({
    async start(io) {
      io.every(1, async () => {
        const reading = { value: 1, unit: NAME, status: LONG, error: LONG, text: LONG }
        io.emit('CryostatReading', { readings: { [NAME]: reading, plain: { value: 2, unit: 'K', status: LONG } } })
      })
    },
  }),
})
export const tuner = defineDevice({
  operation: 'calibrate',
  name: 'tuner',
  create: () => ({
    async start() {},
    async calibrate(request, io) {
      const plan = [{ routine: NAME, targets: [NAME], planned: true }]
      io.progress({ phase: 'plan', step: 0, total: 1, plan })
      io.progress({ phase: 'routine', step: 1, total: 1, routine: NAME, target: NAME, running: [NAME], outcome: NAME })
      if (request.mode === 'fidelity_check') throw new CalibrationError(LONG)
      return {
        status: 'partial_failure',
        backend: NAME,
        device_file: { changed: 1, before: NAME, after: NAME },
        routines: [
          {
            routine: NAME, target: NAME, status: 'failed', error: { code: NAME, message: LONG },
            parameters: { [NAME]: { value: LONG, unit: NAME, previous: LONG } },
            quality: { [NAME]: LONG }, fit: { kind: LONG, trace: LONG, x: [0, 1], y: [0, 1] },
          },
          { routine: 't1', target: 'q0', status: 'success', parameters: { 'coherence.t1': { value: 1e-5, unit: NAME } } },
        ],
        benchmarks: [{ protocol: NAME, target: NAME, fidelity: 0.99, raw_data: { [NAME]: LONG } }],
        skipped: [{ routine: NAME, target: NAME, reason: NAME, detail: LONG }],
        errors: [LONG],
        notes: [LONG],
      }
    },
  }),
})
`
