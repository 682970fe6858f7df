import type { ScheduleBuilder } from '../../pulse/builder.ts'
import type { Schedule } from '../../pulse/schedule.ts'
import type { ScheduleOperation } from './routine-messages.ts'

/**
 * The schedule of operations that a routine in Python lists, with the values of the chip.
 * @throws UnsetValueError for a value that the device file does not have.
 */
export function buildSchedule(operations: readonly ScheduleOperation[], builder: ScheduleBuilder): Schedule {
  for (const each of operations) add(each, builder)
  return builder.build()
}

function add(each: ScheduleOperation, builder: ScheduleBuilder): ScheduleBuilder {
  switch (each.op) {
    case 'rotate':
      return builder.rotate(each.qubit, each.theta, each.phi, each.overrides)
    case 'rotate12':
      return builder.rotate12(each.qubit, each.theta, each.phi, each.overrides)
    case 'rz':
      return builder.rz(each.qubit, each.angle)
    case 'tone':
      return builder.tone(each.qubit, each)
    case 'delay':
      return builder.delay(each.qubit, each.seconds)
    case 'barrier':
      return builder.barrier(...each.qubits)
    case 'cz':
      return builder.cz(each.edge, { ...each.overrides, isRaw: each.is_raw })
    case 'measure':
      return builder.measure(each.qubit, { ...each.overrides, point: each.point })
  }
}
