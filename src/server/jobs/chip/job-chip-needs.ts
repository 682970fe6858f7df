import type { QualityCondition } from '../../../protocol/index.ts'
import type { ChipNeeds } from '../../../qasm/index.ts'
import type { JobExtents } from '../../programs/messages.ts'

/** What the programs of a job need of a chip, and what the job allows. */
export interface JobChipNeeds {
  /** The different needs of the programs, each with the path of the first program that has them. */
  chip: readonly { path: string; needs: ChipNeeds }[]
  /** Whether signals become bits by the values of the device. */
  hasBits: boolean
  /** Whether the job may use what is not calibrated. */
  allowsUncalibrated: boolean
  /** What it requires of the parts that it uses. */
  require?: QualityCondition | undefined
  /** Undefined for a job of an earlier version. */
  extents?: JobExtents | undefined
}

/** The most that is stored with a job; of more, only the device says whether its chip has it. */
const MAX_LENGTH = 10_000

/** The text that is stored with a job; empty when it would be too long. */
export function chipNeedsText({ chip, hasBits, allowsUncalibrated, require, extents }: JobChipNeeds): string {
  const text = JSON.stringify({ chip, hasBits, allowsUncalibrated, require, extents } satisfies JobChipNeeds)
  return text.length <= MAX_LENGTH ? text : ''
}

/** What `chipNeedsText` has stored; undefined for an empty text. */
export function readChipNeeds(text: string): JobChipNeeds | undefined {
  if (text === '') return undefined
  const needs: JobChipNeeds = JSON.parse(text)
  return needs
}
