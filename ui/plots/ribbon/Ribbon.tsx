import type { ComponentChildren } from 'preact'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import { formatNumberOf, formatSeconds } from '../../lib/format.ts'
import { timeOfDay } from '../../lib/zone.ts'
import { useWidth } from '../PlotBox.tsx'
import type { Lane, LaneBar } from './lanes.ts'
import { type AxisMark, axisMarks, shareOf, type TimeWindow } from './time-window.ts'

/** A QPU of a ribbon. */
interface RibbonRow {
  id: string
  name: string
  lane: Lane
  /** Name, state and queue, left of the lane; without it the lane has the whole width. */
  head?: ComponentChildren
}

interface RibbonProps {
  rows: readonly RibbonRow[]
  window: TimeWindow
  /** Unix ms. */
  now: number
  zone: string
}

/** When QPUs are taken: slots, sessions, calibrations, maintenance; ticks for jobs that ran, and notes. */
export function Ribbon({ rows, window, now, zone }: RibbonProps) {
  const marks = axisMarks(window, zone)
  const nowAt = shareOf(window, now)
  const isNowShown = nowAt >= 0 && nowAt <= 1
  const hasHeads = rows.some(({ head }) => head !== undefined)
  return (
    <table class={hasHeads ? 'ribbon' : 'ribbon plain'}>
      <caption class="unseen">Slots, sessions, calibrations, maintenance and jobs by QPU</caption>
      <tbody>
        {rows.map(({ id, name, lane, head }) => (
          <tr key={id}>
            <th scope="row">{head ?? <span class="unseen">{name}</span>}</th>
            <td>
              <LaneView
                lane={lane}
                marks={marks}
                now={now}
                zone={zone}
                nowAt={isNowShown ? nowAt : undefined}
              />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot aria-hidden="true">
        <tr>
          <th>{hasHeads && 'Bars: slots, sessions. Ticks: jobs that ran, taller: failed.'}</th>
          <td>
            <Axis marks={marks} nowAt={isNowShown ? nowAt : undefined} now={timeOfDay(now, zone)} />
          </td>
        </tr>
      </tfoot>
    </table>
  )
}

interface LaneViewProps {
  lane: Lane
  marks: readonly AxisMark[]
  now: number
  nowAt: number | undefined
  zone: string
}

function LaneView({ lane, marks, now, nowAt, zone }: LaneViewProps) {
  const { bars, ticks, failures, queuedCalibrations, notes } = lane
  const described = bars.map((bar) => `${titleOf(bar)} ${timesOf(bar, zone)}`)
  const queued = queuedCalibrations > 0 ? ['a calibration is queued'] : []
  const noted = notes.map(({ at, text }) => `${timeOfDay(at, zone)} note: ${text}`)
  const failed = failures.length > 0 ? [`${formatNumberOf(failures.length, 'failure')} of jobs`] : []
  const all = [...described, ...queued, ...failed, ...noted].join('; ')
  return (
    <div class="lane" role="img" aria-label={all || 'Free'}>
      {marks.map(({ at, label }) => label && <i key={at} class="mark" style={{ left: percent(at) }} />)}
      {nowAt !== undefined && <i class="now" style={{ left: percent(nowAt) }} />}
      {bars.map((bar) => (
        <div
          key={`${bar.kind}${bar.left}`}
          class={`bar ${bar.kind}`}
          style={{ left: percent(bar.left), width: percent(bar.width) }}
          title={`${titleOf(bar)}, ${timesOf(bar, zone)}`}
        >
          <strong>{titleOf(bar)}</strong>
          <span>{isCurrent(bar, now) ? `${remaining(bar, now)} left` : timesOf(bar, zone)}</span>
        </div>
      ))}
      {notes.map(({ id, left, at, text }) => (
        <i key={id} class="note" style={{ left: percent(left) }} title={`${timeOfDay(at, zone)} ${text}`}>
          ●
        </i>
      ))}
      {ticks.map(({ left, width }) => (
        <i key={left} class="tick" style={{ left: percent(left), width: percent(width) }} />
      ))}
      {failures.map((at) => (
        <i key={at} class="tick failed" style={{ left: percent(at) }} title="A job failed" />
      ))}
    </div>
  )
}

/** Space that a label needs beside the label of now, px. */
const NOW_SPACE = 56

function Axis({ marks, nowAt, now }: { marks: AxisMark[]; nowAt: number | undefined; now: string }) {
  const { box, width } = useWidth()
  const nowSpace = width.value > 0 ? NOW_SPACE / width.value : 0
  return (
    <div class="axis" ref={box}>
      {marks.map(({ at, label }) => (
        <i key={at} class={label ? 'mark long' : 'mark'} style={{ left: percent(at) }} />
      ))}
      {marks
        .filter(({ at, label }) => label && at > 0.02 && Math.abs(at - (nowAt ?? -1)) > nowSpace)
        .map(({ at, label }) => (
          <span key={at} style={{ left: percent(at) }}>
            {label}
          </span>
        ))}
      {nowAt !== undefined && (
        <b style={{ left: percent(Math.min(0.96, Math.max(0.04, nowAt))) }}>now {now}</b>
      )}
    </div>
  )
}

const TITLES: Record<LaneBar['kind'], string> = {
  mine: 'Your slot',
  booked: 'Booked',
  calibration: 'Calibration',
  maintenance: 'Maintenance',
}

function titleOf({ kind, isSession }: LaneBar): string {
  if (isSession) return kind === 'mine' ? 'Your session' : 'Session'
  return TITLES[kind]
}

function timesOf({ start, end }: LaneBar, zone: string): string {
  const [from, to] = [start, end].map((ms) => (ms === undefined ? '' : timeOfDay(ms, zone)))
  if (from && to) return `${from}–${to}`
  if (to) return `until ${to}`
  return from ? `since ${from}` : 'until further notice'
}

function isCurrent({ kind, start, end }: LaneBar, now: number): boolean {
  return kind === 'mine' && start !== undefined && end !== undefined && start <= now && now < end
}

function remaining({ end = 0 }: LaneBar, now: number): string {
  return formatSeconds(Math.max(60, Math.round((end - now) / MINUTE_MS) * 60))
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`
}
