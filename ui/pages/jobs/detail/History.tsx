import type { Job } from '../../../api/model/jobs.ts'
import { describeAttempt, describeEvent } from '../../../jobs/events.ts'
import { shotsOf } from '../../../jobs/jobs.ts'
import { isFinished, jobCondition } from '../../../jobs/status.ts'
import { formatNumberOf, formatSeconds, sentence } from '../../../lib/format.ts'
import { parseTime } from '../../../lib/time.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { BookTable } from '../../../parts/table/BookTable.tsx'
import { QpuName } from '../JobTable.tsx'

/** The steps that a job takes; those after the end of a job that did not take them are left out. */
function stepsOf(job: Job) {
  const submitted = parseTime(job.created)
  const after = (text: string | null | undefined) => {
    const at = parseTime(text)
    return at === undefined || submitted === undefined ? '' : `+ ${formatSeconds((at - submitted) / 1_000)}`
  }
  const { word, tone } = jobCondition(job)
  const ended = isFinished(job.status)
  const steps = [
    { name: 'Submitted', tone: 'ok', when: <Moment at={job.created} />, reached: true },
    { name: 'Started', tone: 'ok', when: after(job.started_at), reached: Boolean(job.started_at) },
    { name: ended ? word : 'Completed', tone, when: after(job.finished_at), reached: ended },
  ]
  return steps.filter(({ reached }) => reached || !ended)
}

/** The main steps of a job; those that have not been reached are hollow. */
export function Timeline({ job }: { job: Job }) {
  return (
    <ol class="timeline">
      {stepsOf(job).map(({ name, when, reached, tone }) => (
        <li key={name} class={reached ? `reached tone-${tone}` : undefined}>
          <strong>{name}</strong>
          <span>{reached ? when : 'not yet'}</span>
        </li>
      ))}
    </ol>
  )
}

/** The steps that a job has taken, in one line. */
export function ProgressLine({ job }: { job: Job }) {
  return (
    <ol class="cluster soft" aria-label="Progress">
      {stepsOf(job)
        .filter(({ reached }) => reached)
        .map(({ name, when }) => (
          <li key={name}>
            {name} {when}
          </li>
        ))}
      <li>
        <QpuName of={job} />
      </li>
      <li>{job.payload?.exact ? 'exact values' : `${shotsOf(job)} shots`}</li>
    </ol>
  )
}

/** Every event of a job, and its attempts with the QPU that ran each. */
export function History({ job: { timeline, attempts } }: { job: Job }) {
  if (timeline.length === 0) return null
  return (
    <details class="history">
      <summary>
        {sentence(formatNumberOf(timeline.length, 'event'))}
        {attempts.length > 1 && `, ${formatNumberOf(attempts.length, 'attempt')}`}
      </summary>
      <div class="scroll">
        <BookTable head={['Time', 'Event', 'Details']}>
          {timeline.map((entry, index) => (
            <tr key={index}>
              <td class="time">
                <Moment at={entry.at} />
              </td>
              <td>
                {describeEvent(entry)}
                {entry.attempt > 1 && `, attempt ${entry.attempt}`}
              </td>
              <td class="hostile">{entry.detail}</td>
            </tr>
          ))}
        </BookTable>
        {attempts.length > 0 && (
          <BookTable head={['Attempt', 'QPU', 'Ended as', 'Sent', 'Ended']}>
            {attempts.map((attempt) => (
              <tr key={attempt.attempt}>
                <th scope="row">{attempt.attempt}</th>
                <td>
                  <QpuName of={{ qpu: attempt.qpu, qpu_target: '' }} />
                </td>
                <td>{describeAttempt(attempt)}</td>
                <td class="time">
                  <Moment at={attempt.claimed_at} />
                </td>
                <td class="time">
                  <Moment at={attempt.ended_at} />
                </td>
              </tr>
            ))}
          </BookTable>
        )}
      </div>
    </details>
  )
}
