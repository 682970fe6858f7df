import { LEVELS } from '../dynamics/matrix.ts'
import { DRAW, type Draws } from '../random.ts'
import { drawLevels, drawShares } from '../readout/counts.ts'
import type { Reading } from './readings.ts'

/** How a program is recorded. */
export interface RecordOptions {
  shots: number
  hasNoise: boolean
  draws: Draws
}

/** The levels in which readings find the transmons of a register. */
export interface Found {
  /** Shares of the levels, without the noise of counts. */
  expected(reading: Reading): Float64Array
  /** Shares of the levels in a number of shots. */
  shares(reading: Reading, content: string, options: RecordOptions): Float64Array
  /** The level of each shot. */
  levels(reading: Reading, content: string, options: RecordOptions): ArrayLike<number>
}

/**
 * Levels drawn from populations, which one or two transmons share: the first has the slower index. Readings
 * of one time find one state; readings of several times are independent of each other.
 */
export function foundIn(populations: readonly Float64Array[], transmons: number): Found {
  const at = ({ time }: Reading) => populations[time] ?? new Float64Array(LEVELS)
  const ownLevel = (level: number, { which }: Reading) => {
    if (transmons === 1) return level
    return which === 0 ? Math.floor(level / LEVELS) : level % LEVELS
  }
  const ownShares = (shares: Float64Array, reading: Reading) => {
    const own = new Float64Array(LEVELS)
    for (const [level, share] of shares.entries()) {
      const place = ownLevel(level, reading)
      own[place] = (own[place] ?? 0) + share
    }
    return own
  }
  return {
    expected: (reading) => ownShares(at(reading), reading),
    shares(reading, content, { shots, hasNoise, draws }) {
      const rng = draws.at(DRAW.levels, content, reading.time)
      return ownShares(drawShares(rng, at(reading), shots, !hasNoise), reading)
    },
    levels(reading, content, { shots, draws }) {
      const levels = drawLevels(draws.at(DRAW.levels, content, reading.time), at(reading), shots)
      return levels.map((level) => ownLevel(level, reading))
    },
  }
}

/**
 * Levels that a register was played for shot by shot.
 * @param levelsOf of each shot, for a transmon of the register at one of its times
 */
export function foundShotByShot(levelsOf: (time: number, which: number) => Uint8Array): Found {
  const expected = ({ time, which }: Reading) => {
    const shares = new Float64Array(LEVELS)
    const levels = levelsOf(time, which)
    for (const level of levels) shares[level] = (shares[level] ?? 0) + 1 / levels.length
    return shares
  }
  return { expected, shares: expected, levels: ({ time, which }) => levelsOf(time, which) }
}
