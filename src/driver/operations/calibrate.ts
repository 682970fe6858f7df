import type { CalibrateDevice } from '../../devices/index.ts'
import type { Command } from '../../protocol/index.ts'
import { emitEvent } from './emit.ts'
import type { OperationIo, RunningOperation } from './operation.ts'

/** Runs a tuner: it is started, and told when its QPU enters or leaves maintenance. */
export function runCalibrate(device: CalibrateDevice, io: OperationIo): RunningOperation {
  return {
    start: () => device.start({ emit: (type, payload) => emitEvent(io, type, payload), signal: io.signal }),
    onCommand(command: Command) {
      if (command.type === 'SetMaintenance') device.maintenance?.(command.on)
    },
    stop: async () => device.stop?.(),
  }
}
