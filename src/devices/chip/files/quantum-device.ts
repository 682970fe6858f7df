/**
 * Whether this is a device that other software has saved with its own classes, `QuantumDevice.to_json` of
 * quantify-scheduler or of its successor, rather than a device file.
 */
export function isQuantumDevice(content: unknown): content is Record<string, unknown> {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return false
  const { deserialization_type: type, data, elements } = content as Record<string, unknown>
  if (typeof type === 'string') return typeof data === 'object' && data !== null && 'elements' in data
  return typeof elements === 'object' && elements !== null && !('element_type' in elements)
}

/** What to do about such a file in the place of a device file. */
export const CONVERT_QUANTUM_DEVICE =
  'this is a QuantumDevice that quantify-scheduler has saved (to_json_file), not a device file; convert it with svc driver convert-device-file FILE > scheduler.device.yml'
