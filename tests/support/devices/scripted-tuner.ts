import { existsSync } from 'node:fs'
import { CalibrationError, defineDevice, opt } from 'svc/devices'

/**
 * A tuner that follows its options. It reports its plan and one step, waits until the file `gate` exists, and
 * reports one routine and one benchmark; `mode=fidelity_check` fails, a crash file ends the process.
 */
export const scripted = defineDevice({
  operation: 'calibrate',
  name: 'scripted',
  options: {
    gate: opt.string({ help: 'Waits for this file; none = no wait', default: '' }),
    crash: opt.string({ help: 'Ends the process while this file is there', default: '' }),
    trace_bytes: opt.int({ help: 'Length of the trace in the report', min: 0, default: 10 }),
    own: opt.bool({ help: 'Runs a check of its own at its start', default: false }),
  },
  create: ({ options, clock, log }) => ({
    async start(io) {
      if (options.own) void io.calibrateNow({ mode: 'fidelity_check' })
    },
    async calibrate(request, io) {
      log.info('scripted calibration', { run: request.runId, targets: request.targetQubits.join() })
      const plan = [{ routine: 't1', targets: ['q0'], planned: true }]
      io.progress({ phase: 'plan', step: 0, total: 1, plan })
      io.progress({ phase: 'routine', step: 1, total: 1, routine: 't1', target: 'q0', running: ['q0'] })
      if (options.crash !== '' && existsSync(options.crash)) process.abort()
      while (options.gate !== '' && !existsSync(options.gate)) await clock.sleep(10, io.signal)
      if (request.mode === 'fidelity_check' && request.id !== null)
        throw new CalibrationError('calibration.yml line 3: no such routine')
      const trace = 'µ'.repeat(options.trace_bytes / 2)
      return {
        status: 'success',
        backend: 'scripted+simulated',
        device_file: { changed: 1, before: 'a', after: 'b' },
        routines: [
          {
            ...{ routine: 't1', target: 'q0', status: 'success' },
            parameters: { 'coherence.t1': { value: 3.1e-5, error: 1e-6, unit: 's' } },
            fit: { kind: 'line', trace },
          },
        ],
        benchmarks: [
          {
            protocol: 'randomized_benchmarking',
            target: 'q0',
            fidelity: 0.9995,
            raw_data: { depths: [1, 4] },
          },
        ],
        skipped: [{ routine: 't2', target: 'q0', reason: 'not_planned' }],
        notes: [`targets ${request.targetQubits.join()}`],
      }
    },
  }),
})
