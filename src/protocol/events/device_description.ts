import { defineEvent } from '../define-event.ts'
import { DESCRIPTION_LIMITS, deviceDescription } from '../description.ts'

/**
 * What the QPU of a process driver can run: sent after the hello, if the device describes itself, and after
 * each change. It replaces the description before.
 */
export const deviceDescriptionEvent = defineEvent({
  type: 'DeviceDescription',
  required: true,
  maxBytes: DESCRIPTION_LIMITS.bytes,
  large: ['qubits', 'gates'],
  payload: deviceDescription,
})
