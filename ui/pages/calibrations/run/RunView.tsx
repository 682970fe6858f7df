import { isObject } from '../../../../src/base/portable/is-object.ts'
import { ApiError } from '../../../api/api.ts'
import { type CalibrationRequest, routineTimes } from '../../../api/model/calibrations.ts'
import { recordIds } from '../../../api/model/qpus.ts'
import { type App, useApp } from '../../../app/app.ts'
import { useNow } from '../../../app/use-now.ts'
import { useResource } from '../../../app/use-resource.ts'
import { parseTime } from '../../../lib/time.ts'
import { timeOfDay } from '../../../lib/zone.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { listOf, numberOf, textOf } from '../reading/read-json.ts'
import { quoted, recordsPath } from '../records.ts'
import { MODE_LIMIT_H, roughly } from '../words.ts'
import { ChipState } from './ChipState.tsx'
import { type Block, blocksOf, RUNS_COMPARED, secondsLeft, shareOver, typicalTimes } from './expected-time.ts'
import { LastTrace } from './LastTrace.tsx'
import { PlanTable } from './PlanTable.tsx'
import { ResultsPanel } from './ResultsPanel.tsx'
import { blameOf, countState, positionOf, type RunProgress } from './read-progress.ts'
import { Waiting } from './Waiting.tsx'

interface RunViewProps {
  request: CalibrationRequest
  progress: RunProgress
  qpu: string
  qpuName: string
}

/** A calibration while it runs: how far it is, what failed, its plan, and who waits for it. */
export function RunView({ request, progress, qpu, qpuName }: RunViewProps) {
  const app = useApp()
  const typical = useTypicalTimes(request)
  const now = useNow(5_000).value
  const started = parseTime(request.started_at)
  const elapsed = started === undefined ? undefined : Math.max(0, (now - started) / 1_000)
  const blocks = blocksOf(progress.plan, typical.value.value ?? new Map())
  const position = positionOf(progress)
  const left = secondsLeft(blocks.length > 0 ? blocks : stepsAsBlocks(progress.total), position, elapsed)
  const end = left === undefined ? undefined : now + left * 1_000
  return (
    <div class="stack">
      <Panel title="Progress">
        <div class="padded">
          <div class="cluster apart run-headline">
            <p>
              <strong>
                {progress.total > 0 ? `Step ${progress.step} of ${progress.total}` : 'Starting'}
              </strong>{' '}
              {[progress.routine, progress.target].filter(Boolean).join(' on ')}
            </p>
            <p class="number">
              <strong>{left === undefined ? 'No estimate yet' : `≈ ${roughly(left)} left`}</strong>
            </p>
          </div>
          <ProgressBar blocks={blocks} progress={progress} />
          <p class="cluster apart hint">
            <span>
              Started <Moment at={request.started_at} />
              {elapsed !== undefined && `, ${roughly(elapsed)} elapsed. `}
              {blocks.length > 0 && blocks[0]?.seconds !== undefined
                ? 'Each block is a routine; its width is the expected time.'
                : blocks.length > 0 && 'Each block is a routine; their durations are not known yet.'}
            </span>
            <span>
              {end !== undefined && `Ends ≈ ${timeOfDay(end, app.zone.value)}, `}
              {MODE_LIMIT_H[request.mode] !== undefined && `limit ${MODE_LIMIT_H[request.mode]} h`}
            </span>
          </p>
          <ChipState progress={progress} />
        </div>
        <Blame progress={progress} />
      </Panel>
      <div class="columns run-columns">
        {progress.plan.length > 0 ? <PlanTable progress={progress} blocks={blocks} /> : <NoPlan />}
        <div class="stack">
          <Waiting qpu={qpu} qpuName={qpuName} end={end} />
          <LastTrace progress={progress} />
          <ResultsPanel progress={progress} title="Results so far" />
        </div>
      </div>
    </div>
  )
}

function NoPlan() {
  return (
    <Panel title="Plan">
      <p class="padded soft">
        This tuner reports its steps but no plan, so that nobody knows which routines follow.
      </p>
    </Panel>
  )
}

/** The median times of the routines in earlier runs of the same tuner and mode. */
function useTypicalTimes(request: CalibrationRequest) {
  const app = useApp()
  return useResource(
    async (abort) => {
      const path = recordsPath(app, 'calibration_results', {
        filter: `driver=${quoted(request.driver)} && mode=${quoted(request.mode)} && status!='failed'`,
        sort: '-finished_at',
        perPage: RUNS_COMPARED,
        skipTotal: 1,
        fields: 'id',
      })
      const { items } = await app.api.get(path, recordIds, abort)
      const runs = await Promise.all(items.map(({ id }) => readTimes(app, id, abort)))
      return typicalTimes(runs)
    },
    [request.driver, request.mode],
  )
}

const TOO_LARGE = 413

/** How long the routines of a report took; parts of reports above 1 MiB cannot be read, and count as none. */
async function readTimes(app: App, id: string, abort: AbortSignal) {
  const path = recordsPath(app, 'calibration_results', { fields: 'routines.routine,routines.duration_s' }, id)
  try {
    return timesOf((await app.api.get(path, routineTimes, abort)).routines)
  } catch (error) {
    if (error instanceof ApiError && error.status === TOO_LARGE) return []
    throw error
  }
}

function timesOf(routines: unknown): { routine: string; seconds: number }[] {
  return listOf(routines)
    .filter(isObject)
    .flatMap((entry) => {
      const seconds = numberOf(entry['duration_s'])
      return seconds === undefined ? [] : [{ routine: textOf(entry['routine']), seconds }]
    })
}

/** Without a plan the steps are equally long, as far as is known. */
function stepsAsBlocks(total: number): Block[] {
  const steps = Math.min(1_000, total)
  return Array.from({ length: steps }, (_, at) => ({
    routine: String(at),
    share: 1 / steps,
    seconds: undefined,
  }))
}

function ProgressBar({ blocks, progress }: { blocks: readonly Block[]; progress: RunProgress }) {
  const position = positionOf(progress)
  const failed = new Set(blameOf(progress).map(({ routine }) => routine))
  const share = blocks.length > 0 ? shareOver(blocks, position) : progress.step / Math.max(1, progress.total)
  const label = `${Math.round(share * 100)} % of the expected time has passed`
  const drawn = blocks.length > 0 ? blocks : [{ routine: '', share: 1, seconds: undefined }]
  return (
    <div class="run-bar" role="img" aria-label={label}>
      {drawn.map(({ routine, share: width, seconds }, at) => {
        const over =
          blocks.length === 0 ? share : at < position.over ? 1 : at === position.over ? position.within : 0
        return (
          <div
            key={routine + at}
            style={{ flexGrow: width, flexBasis: 0 }}
            title={`${routine}${seconds === undefined ? '' : `, ≈ ${roughly(seconds)}`}`}
          >
            <i style={{ width: `${Math.min(1, over) * 100}%` }} />
            {failed.has(routine) && <b aria-hidden="true">✕</b>}
          </div>
        )
      })}
    </div>
  )
}

/** What failed, and what cannot run because of it. */
function Blame({ progress }: { progress: RunProgress }) {
  const failed = blameOf(progress)
  if (failed.length === 0) return null
  const blocked = countState(progress, 'blocked')
  const names = failed.slice(0, 3).map(({ routine, target }) => `${target} ${routine}`)
  const more = failed.length > 3 ? ` and ${failed.length - 3} more` : ''
  return (
    <div class="notice tone-bad">
      <p>
        <strong>
          {names.join(', ')}
          {more} failed.
        </strong>{' '}
        {blocked > 0
          ? `${blocked} routines that need the result are blocked. Other targets are not affected.`
          : 'Nothing is blocked by it so far. The report will have the fit.'}
      </p>
    </div>
  )
}
