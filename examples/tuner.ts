/**
 * A calibrate device to start from: it "measures" the relaxation time of each qubit. Run it with svc driver
 * start --operation calibrate --device ./tuner.ts#stopwatch -o calibration_config=./calibration.yml ... The
 * program provides `svc/devices`; nothing has to be installed.
 */
import { CalibrationError, defineDevice, opt } from 'svc/devices'

export const stopwatch = defineDevice({
  operation: 'calibrate',
  name: 'stopwatch',
  options: {
    qubits: opt.list({ help: 'Qubits of the chip', default: ['q0', 'q1'], example: 'q0,q1' }),
    check_interval: opt.seconds({
      help: 'Interval between two fidelity checks, in seconds; 0 = none',
      default: 0,
    }),
  },
  create({ device, options, random, clock, log }) {
    const rng = random()
    return {
      async start(io) {
        if (options.check_interval === 0) return
        void (async () => {
          while (!io.signal.aborted) {
            await clock.sleep(options.check_interval * 1_000, io.signal).catch(() => undefined)
            // Nothing happens in maintenance, or while a calibration runs.
            if (!io.signal.aborted) await io.calibrateNow({ mode: 'fidelity_check' })
          }
        })()
      },
      async calibrate(request, io) {
        const targets = request.targetQubits.length > 0 ? request.targetQubits : options.qubits
        const unknown = targets.find((name) => !options.qubits.includes(name))
        if (unknown !== undefined) throw new CalibrationError(`there is no qubit ${unknown} on this chip`)
        const routines = []
        for (const [at, target] of targets.entries()) {
          io.signal.throwIfAborted()
          const seconds = 20e-6 + 10e-6 * rng.next()
          log.info('relaxation time measured', { target, seconds })
          routines.push({
            ...{ routine: 't1', target, status: 'success' as const },
            parameters: { 'coherence.t1': { value: seconds, error: 1e-6, unit: 's' } },
            fit: { kind: 'line', x: [0, seconds], y: [1, 0.37] },
          })
          const step = { step: at + 1, total: targets.length, routine: 't1', target, outcome: 'success' }
          io.progress({ phase: 'routine', ...step })
        }
        return { status: 'success' as const, backend: device, routines }
      },
    }
  },
})
