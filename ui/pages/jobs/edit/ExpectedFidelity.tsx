import { DAY_MS } from '../../../../src/base/portable/units.ts'
import type { Expected } from '../../../jobs/fidelity/expected-fidelity.ts'
import { parseTime } from '../../../lib/time.ts'
import { Fact } from '../../../parts/table/Fact.tsx'
import type { QpuState } from './qpu-state.ts'

/** Values that were calibrated before are not used, because they have drifted. */
const MAX_AGE_MS = 7 * DAY_MS

interface ExpectedFidelityProps {
  state: QpuState
  fidelity: Expected
}

/** The fidelity that the values of the chosen QPU predict, with the share of each kind of error. */
export function ExpectedFidelity({ state: { description, name }, fidelity }: ExpectedFidelityProps) {
  // An exact simulator has no errors to predict from.
  if (!description || description.gates.length === 0) return null
  const calibrated = parseTime(description.calibrated_at ?? '')
  if (calibrated !== undefined && Date.now() - calibrated > MAX_AGE_MS) {
    return <Fact name="Expected fidelity">{name} was calibrated more than 7 days ago</Fact>
  }
  if ('unknown' in fidelity) return <Fact name="Expected fidelity">unknown: {fidelity.unknown}</Fact>
  const { total, gates, readout, idle } = fidelity
  return (
    <>
      <Fact name="Expected fidelity">≈ {formatFidelity(total)}</Fact>
      <Fact name="Gates × readout × waiting">{[gates, readout, idle].map(formatFidelity).join(' × ')}</Fact>
      <p class="caption">
        From the errors and coherence times of {name}: the newest measured ones, else those of its device.{' '}
        <a href="/docs/explanation/expected-fidelity">How it is predicted</a>
      </p>
    </>
  )
}

function formatFidelity(value: number): string {
  return value > 0 && value < 0.001 ? '< 0.001' : value.toFixed(3)
}
