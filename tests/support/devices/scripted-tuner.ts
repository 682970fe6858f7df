import { existsSync, readFileSync } from 'node:fs'
import { CalibrationError, type DeviceContext, defineDevice, opt, type TunerIo } from 'svc/devices'

/**
 * A tuner that follows its options. It reports its plan and one step, waits until the file `gate` exists, and
 * reports one routine and one benchmark; `mode=fidelity_check` fails, a crash file ends the process. With
 * `script`, a JSON file, it sends those steps and that report instead.
 */
export const scripted = defineDevice({
  operation: 'calibrate',
  name: 'scripted',
  options: {
    gate: opt.string({ help: 'Waits for this file; none = no wait', default: '' }),
    crash: opt.string({ help: 'Ends the process while this file is there', default: '' }),
    trace_bytes: opt.int({ help: 'Length of the trace in the report', min: 0, default: 10 }),
    script: opt.string({ help: 'JSON file of steps and findings', default: '' }),
    keeps: opt.bool({ help: 'Reports what it has when it is stopped, as aborted', default: false }),
    own: opt.bool({ help: 'Runs a check of its own as soon as it may', default: false }),
  },
  create: ({ options, clock, log }) => ({
    async start(io) {
      if (options.own) void checkOnce(io, clock)
    },
    async calibrate(request, io) {
      log.info('scripted calibration', {
        ...{ run: request.runId, targets: request.targetQubits.join(), pid: process.pid },
      })
      if (options.script !== '') {
        const { steps, findings } = JSON.parse(readFileSync(options.script, 'utf8'))
        for (const step of steps) io.progress(step)
        await opened(options.gate, clock, io.signal)
        return findings
      }
      const plan = [{ routine: 't1', targets: ['q0'], planned: true }]
      io.progress({ phase: 'plan', step: 0, total: 1, plan })
      const line = {
        ...{ routine: 't1', target: 'q0', kind: 'line' as const, model: 'exponential' },
        ...{ x: { name: 'delay', unit: 's', values: [0, 1e-5] }, y: [1, null], y_name: 'P1', y_unit: '' },
      }
      io.progress({
        ...{ phase: 'routine', step: 1, total: 1, routine: 't1', target: 'q0', running: ['q0'] },
        trace: line,
      })
      if (options.crash !== '' && existsSync(options.crash)) process.abort()
      await opened(options.gate, clock, io.signal).catch((error: unknown) => {
        if (!options.keeps) throw error
      })
      if (request.mode === 'fidelity_check' && request.id !== null)
        throw new CalibrationError('calibration.yml line 3: no such routine')
      const trace = 'µ'.repeat(options.trace_bytes / 2)
      return {
        status: io.signal.aborted ? 'aborted' : 'success',
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

/** Runs one check without a request; the server has to be connected for it. */
async function checkOnce(io: TunerIo, clock: DeviceContext['clock']): Promise<void> {
  while (!io.signal.aborted) {
    if (await io.calibrateNow({ mode: 'fidelity_check' })) return
    await clock.sleep(20, io.signal).catch(() => undefined)
  }
}

/** Waits until the gate exists, if there is one. */
async function opened(
  gate: string,
  clock: { sleep(ms: number, signal: AbortSignal): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  while (gate !== '' && !existsSync(gate)) await clock.sleep(10, signal)
}
