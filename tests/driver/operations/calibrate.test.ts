import { expect, test } from 'bun:test'
import type { CalibrateDevice } from '../../../src/devices/index.ts'
import { runCalibrate } from '../../../src/driver/operations/calibrate.ts'
import { runJobOf } from '../support/jobs.ts'
import { operationIo } from './support.ts'

function tuner(changes: Partial<CalibrateDevice> = {}): CalibrateDevice {
  return { start: async () => undefined, calibrate: async () => ({}), ...changes }
}

test('runCalibrate() tells the tuner about maintenance and nothing else', () => {
  const heard: boolean[] = []
  const operation = runCalibrate(tuner({ maintenance: (on) => heard.push(on) }), operationIo().io)
  operation.onCommand({ type: 'SetMaintenance', on: true, reason: 'helium' })
  operation.onCommand({ type: 'SetMaintenance', on: false, reason: '' })
  operation.onCommand(runJobOf('x'))
  expect(heard).toEqual([true, false])
})

test('runCalibrate() does without a maintenance function', () => {
  const operation = runCalibrate(tuner(), operationIo().io)
  expect(() => operation.onCommand({ type: 'SetMaintenance', on: true, reason: 'x' })).not.toThrow()
})

test('runCalibrate() gives the tuner a way to send events and a signal that ends with the driver', async () => {
  const { io, sent, stopping } = operationIo()
  let signal: AbortSignal | undefined
  const operation = runCalibrate(
    tuner({
      async start(tunerIo) {
        signal = tunerIo.signal
        tunerIo.emit('CalibrationProgress', { step: 1 })
      },
    }),
    io,
  )
  await operation.start()
  expect(sent).toMatchObject([{ kind: 'event', type: 'CalibrationProgress' }])
  stopping.abort()
  expect(signal?.aborted).toBe(true)
})
