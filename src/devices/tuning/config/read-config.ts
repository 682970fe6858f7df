import * as v from 'valibot'
import type { Chip } from '../../chip/device-file.ts'
import { isFields } from '../../chip/elements/element-type.ts'
import { parseYaml } from '../../chip/files/yaml-text.ts'
import type { CalibrationConfig } from './calibration-config.ts'
import { type ConfigRemarks, problemsOf } from './config-problems.ts'
import { configFile } from './config-schema.ts'
import { checkGroups, pinnedOf, targetsOf } from './config-targets.ts'
import { readRoutines } from './read-routines.ts'

/**
 * Reads a `calibration.yml` for a chip; an empty text enables everything on all elements. Returns all
 * problems of an invalid text, one line each: line and column, path, what is expected, and the value that was
 * given.
 */
export function readCalibrationConfig(text: string, chip: Chip): CalibrationConfig | { problems: string[] } {
  const yaml = parseYaml(text)
  if ('problems' in yaml) return yaml
  const content = yaml.content ?? {}
  const remarks: ConfigRemarks = { problems: [], notes: [] }
  const parsed = v.safeParse(configFile, content)
  if (!parsed.success) remarks.problems.push(...problemsOf(parsed.issues, []))
  // With problems in some keys, the others are still checked against the chip.
  const config = v.parse(configFile, parsed.success ? content : soundKeysOf(content))
  const targets = targetsOf(config, chip, remarks)
  const { targetEdges } = targets
  const read = readRoutines({ given: config.routines ?? {}, targetEdges, chip }, remarks)
  const pinned = pinnedOf(config.pin, chip, remarks)
  checkGroups(config.parallel, chip, remarks)
  if (remarks.problems.length > 0) return { problems: yaml.describe(remarks.problems) }
  return {
    ...targets,
    routineTimeoutS: config.routine_timeout_s,
    maxAttempts: config.max_attempts,
    ...read,
    pinned,
    safety: { pauseAfterStepS: config.safety.pause_after_step_s },
    heralding: config.heralding,
    monitoring: config.monitoring,
    parallel: config.parallel,
    notes: remarks.notes,
  }
}

/** The keys of a file that have no problems. */
function soundKeysOf(content: unknown): Record<string, unknown> {
  const entries = isFields(content) ? Object.entries(content) : []
  return Object.fromEntries(entries.filter(([key, value]) => v.is(configFile, { [key]: value })))
}
