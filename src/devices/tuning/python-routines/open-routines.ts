import * as v from 'valibot'
import { messageOf } from '../../../base/index.ts'
import type { PythonPlace } from '../../define-device.ts'
import { CalibrationError } from '../../errors.ts'
import type { Routine } from '../routine.ts'
import { pythonRoutine } from './python-routine.ts'
import { describedRoutine } from './routine-messages.ts'
import { RoutineProcess } from './routine-process.ts'

/** Routines in Python of one run. */
export interface PythonRoutines {
  /** By import path. */
  readonly routines: ReadonlyMap<string, Routine>
  /** What identifies each file of which they consist, by its path. */
  readonly files: Readonly<Record<string, string>>
  /** Ends the process that runs them. */
  close(): void
}

/**
 * Imports routines in Python by their paths, `module:Class`, in a process that `close` ends.
 * @param folder where modules are looked for first
 * @throws CalibrationError when there is no Python, or a routine cannot be imported or is none.
 */
export async function openPythonRoutines(
  paths: readonly string[],
  folder: string,
  place: PythonPlace,
): Promise<PythonRoutines> {
  const process = new RoutineProcess(paths, folder, place)
  try {
    const { routines, files } = await process.start()
    const byPath = new Map(routines.map((each) => [each.path, routineOf(each, process)]))
    return { routines: byPath, files, close: () => process.close() }
  } catch (error) {
    process.close()
    throw error
  }
}

function routineOf(sent: { path: string }, process: RoutineProcess): Routine {
  const parsed = v.safeParse(describedRoutine, sent)
  if (!parsed.success) {
    const [issue] = parsed.issues
    throw new CalibrationError(`routines.${sent.path}: ${v.getDotPath(issue) ?? ''}: ${issue.message}`)
  }
  try {
    return pythonRoutine(parsed.output, process)
  } catch (error) {
    throw new CalibrationError(`routines.${sent.path}: ${messageOf(error)}`)
  }
}
