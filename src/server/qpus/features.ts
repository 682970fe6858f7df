import { DEVICE_FEATURES, LISTED_FEATURES } from '../../protocol/index.ts'

/** The bits that are stored for features: the position in `DEVICE_FEATURES`. Unknown names have none. */
export function featureBits(names: Iterable<string>): number {
  const given = new Set(names)
  return DEVICE_FEATURES.reduce((bits, name, index) => (given.has(name) ? bits | (1 << index) : bits), 0)
}

/** The features of these bits. */
export function featureNames(bits: number): string[] {
  return DEVICE_FEATURES.filter((_, index) => (bits & (1 << index)) !== 0)
}

/**
 * The known features that a device with these features lacks. One that lists none may have all but those that
 * have to be listed.
 */
export function missingFeatureBits(names: readonly string[] | undefined): number {
  if (names === undefined) return featureBits(LISTED_FEATURES)
  return featureBits(DEVICE_FEATURES) & ~featureBits(names)
}
