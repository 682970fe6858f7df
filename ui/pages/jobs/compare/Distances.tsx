import type { Comparison, Distance } from '../../../jobs/compare.ts'
import { formatProbability } from '../../../jobs/compare-text.ts'

/** Below this probability two jobs hardly have the same source. */
const UNLIKELY = 0.001

interface DistancesProps {
  comparisons: readonly { name: string; comparison: Comparison }[]
}

/** The distances of jobs to the first, each with what shots alone give. */
export function Distances({ comparisons }: DistancesProps) {
  return (
    <>
      {comparisons.map(({ name, comparison }) => (
        <dl key={name} class="panel distances" aria-label={`Distances of ${name}`}>
          <div>
            <dt>Total variation{comparisons.length > 1 && ` to ${name}`}</dt>
            <Value of={comparison.totalVariation} />
          </div>
          <div>
            <dt>Hellinger distance</dt>
            <Value of={comparison.hellinger} />
          </div>
          <div>
            <dt>Classical fidelity</dt>
            <dd>{comparison.fidelity.toFixed(4)}</dd>
            <dd class="note">1 for equal distributions</dd>
          </div>
          <ChiSquare {...comparison.chiSquare} />
        </dl>
      ))}
    </>
  )
}

function Value({ of: { value, expected } }: { of: Distance }) {
  return (
    <>
      <dd>{value.toFixed(3)}</dd>
      <dd class="note">{expected.toFixed(3)} expected from shots alone</dd>
    </>
  )
}

function ChiSquare({ perFreedom, freedom, probability }: Comparison['chiSquare']) {
  const isUnlikely = probability < UNLIKELY
  return (
    <div>
      <dt>χ² / {freedom}</dt>
      <dd>{perFreedom.toFixed(1)}</dd>
      <dd class={isUnlikely ? 'note tone-bad' : 'note'}>
        {isUnlikely ? '▲ not the same source, ' : 'may be the same source, '}
        {formatProbability(probability)}
      </dd>
    </div>
  )
}
