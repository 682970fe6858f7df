import { isObject } from '../../../../src/base/portable/is-object.ts'
import { Panel } from '../../../parts/Panel.tsx'
import { readFit } from '../reading/read-fit.ts'
import { textOf } from '../reading/read-json.ts'
import { LinePlot } from '../report/LinePlot.tsx'
import type { RunProgress } from './read-progress.ts'

/** What the tuner measured last; nothing for a tuner that sends no traces. */
export function LastTrace({ progress: { trace } }: { progress: RunProgress }) {
  const fit = readFit(trace)
  if (!isObject(trace) || fit?.kind !== 'line') return null
  const label = `${textOf(trace['routine'])} on ${textOf(trace['target'])}`
  return (
    <Panel title="Measured last" aside={<span class="soft">{label}</span>}>
      <div class="padded">
        <LinePlot fit={fit} label={label} />
      </div>
    </Panel>
  )
}
