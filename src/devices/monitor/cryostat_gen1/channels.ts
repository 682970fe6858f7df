import { OptionValueError } from '../../options.ts'

/** One value of the cryostat that is polled. */
export interface Channel {
  /** For example `mapper.bf.tmc`. */
  path: string
  /** Reported with each reading; empty when none was given. */
  unit: string
}

const PATH = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/
const MAX_PATH_LENGTH = 200
const MAX_UNIT_LENGTH = 20

/** `path[:unit]`, split at the last colon. */
function readChannel(item: string): Channel {
  const colon = item.lastIndexOf(':')
  const path = (colon < 0 ? item : item.slice(0, colon)).trim()
  const unit = colon < 0 ? '' : item.slice(colon + 1).trim()
  if (!PATH.test(path) || path.length > MAX_PATH_LENGTH) {
    throw new OptionValueError(
      `"${path}" is not the path of a channel; use names of letters, digits and _, joined by dots`,
    )
  }
  if (colon >= 0 && unit === '') {
    throw new OptionValueError(`"${item}" has no unit after the colon; leave the colon out for none`)
  }
  if (unit.length > MAX_UNIT_LENGTH) {
    throw new OptionValueError(`the unit of ${path} is longer than ${MAX_UNIT_LENGTH} characters`)
  }
  return { path, unit }
}

/**
 * Reads the option `channels`: `path[:unit]` items separated by commas.
 * @throws OptionValueError naming the item that is empty, malformed or named twice.
 */
export function readChannels(text: string): Channel[] {
  const channels = text.split(',').map((item) => {
    if (item.trim() === '') {
      throw new OptionValueError('an item is empty; separate items by single commas')
    }
    return readChannel(item.trim())
  })
  const seen = new Set<string>()
  for (const { path } of channels) {
    if (seen.has(path)) throw new OptionValueError(`${path} is named twice`)
    seen.add(path)
  }
  return channels
}
