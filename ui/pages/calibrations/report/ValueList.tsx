import { changeTexts } from '../reading/changes.ts'
import type { ReportedValue } from '../reading/read-report.ts'

/** The values that one routine found. */
export function ValueList({ values }: { values: readonly ReportedValue[] }) {
  if (values.length === 0) return null
  return (
    <dl class="pairs">
      {values.map((value) => (
        <div key={value.path}>
          <dt>
            <code>{value.path}</code>
          </dt>
          <dd>{changeTexts(value).after}</dd>
        </div>
      ))}
    </dl>
  )
}
