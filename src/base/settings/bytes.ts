const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Writes bytes for people, rounded: `512 B`, `8 MiB`, `1.5 GiB`. */
export function describeBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  return `${Number(amount.toFixed(1))} ${UNITS[power]}`
}

/** Writes bytes exactly, in the largest unit that divides them: 10737418240 → `10GiB`. */
export function formatBytes(bytes: number): string {
  if (bytes === 0) return '0'
  let power = 0
  while (power < UNITS.length - 1 && bytes % 1024 ** (power + 1) === 0) power += 1
  return `${bytes / 1024 ** power}${UNITS[power]}`
}

/** Reads `10GiB`, `500MiB`, `64KiB`, `1000B` or `0`; undefined for any other text. */
export function parseBytes(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,15}) ?(B|KiB|MiB|GiB|TiB)$/i.exec(text.trim()) ?? []
  if (text.trim() === '0') return 0
  const power = UNITS.findIndex((each) => each.toLowerCase() === unit?.toLowerCase())
  const bytes = Number(amount) * 1024 ** power
  return power < 0 || !Number.isSafeInteger(bytes) ? undefined : bytes
}
