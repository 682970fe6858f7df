import * as v from 'valibot'
import { type Loop, toTimestamp } from '../../../base/index.ts'
import { appendAudit } from '../../../db/journal/index.ts'
import { callerName } from '../../http/caller.ts'
import { defineRoute, Reply, type Route } from '../../http/route.ts'
import { described } from '../../http/schema.ts'
import type { BackgroundTasks } from './background-tasks.ts'

const taskResponse = v.object({
  id: v.string(),
  name: v.string(),
  summary: described(v.string(), 'What a run does'),
  running: v.boolean(),
  last_run: described(
    v.string(),
    'Begin of the current or the last run since the start, UTC; empty before the first',
  ),
  duration_ms: described(v.nullable(v.number()), 'Duration of the last finished run'),
  error: described(v.string(), 'Why the last finished run failed; empty if it did not'),
  next_run: described(v.string(), 'When the next run begins at the latest, UTC'),
})

/** The background tasks of the server. */
export function taskRoutes(tasks: BackgroundTasks): Route[] {
  return [
    defineRoute('GET /api/op/tasks', {
      access: 'superuser',
      summary: 'List the background tasks with their last and their next run',
      response: v.object({ tasks: v.array(taskResponse) }),
      run: async () => ({ tasks: [...tasks.all].map(([id, loop]) => presentTask(id, loop)) }),
    }),
    defineRoute('POST /api/op/tasks/:id/run', {
      access: 'superuser',
      summary: 'Run a background task now',
      statuses: [202],
      errors: { task_running: 409 },
      response: taskResponse,
      async run({ db }, { params: { id = '' }, caller }) {
        tasks.find(id)
        const entry = { actor: callerName(caller), action: 'task.run', subject: id }
        await db.write('audit task', (tx) => appendAudit(tx, entry))
        return new Reply(202, presentTask(id, tasks.runNow(id)))
      },
    }),
  ]
}

function presentTask(id: string, { name, summary = '', status }: Loop) {
  const { isRunning, begunAt, durationMs, problem, nextAt } = status
  return {
    id,
    name,
    summary,
    running: isRunning,
    last_run: begunAt === undefined ? '' : toTimestamp(begunAt),
    duration_ms: durationMs === undefined ? null : Math.round(durationMs),
    error: problem,
    next_run: nextAt === undefined ? '' : toTimestamp(nextAt),
  }
}
