import { useRef } from 'preact/hooks'
import { formatCount } from '../../../lib/format.ts'
import { formatQuantity } from '../../../lib/quantity.ts'
import { formatPower } from '../../../lib/reading.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { Panel } from '../../../parts/Panel.tsx'
import { Fact } from '../../../parts/table/Fact.tsx'
import { Fit } from '../../../plots/fit/Fit.tsx'
import { MapCut } from '../../../plots/fit/MapCut.tsx'
import { SweepMap } from '../../../plots/fit/SweepMap.tsx'
import { prefixOf } from '../reading/changes.ts'
import { type Axis, at, isDropped, type LineFit, type MapFit, readFit } from '../reading/read-fit.ts'
import type { RoutineResult } from '../reading/read-report.ts'
import { roughly } from '../words.ts'
import { axisTitle, LinePlot } from './LinePlot.tsx'
import { Mark } from './marks.tsx'
import { StatesPlot } from './StatesPlot.tsx'
import { ValueList } from './ValueList.tsx'

interface FitPanelProps {
  routine: string
  results: readonly RoutineResult[]
  selected: RoutineResult | undefined
  select: (target: string) => void
  stripped: boolean
  /** Name of files without their ending. */
  name: string
}

/** What a routine measured on a target, with its fit. */
export function FitPanel({ routine, results, selected, select, stripped, name }: FitPanelProps) {
  const fit = selected && readFit(selected.fit, selected.quality)
  const plot = useRef<HTMLDivElement>(null)
  const file = `${name}-${routine}-${selected?.target ?? ''}`
  return (
    <Panel
      title={routine}
      aside={
        fit && (
          <span class="actions">
            <button type="button" onClick={() => savePlot(plot.current, `${file}.svg`)}>
              SVG
            </button>
            {fit.kind === 'line' && (
              <button
                type="button"
                onClick={() => saveFile(new Blob([lineCsv(fit)], { type: 'text/csv' }), `${file}.csv`)}
              >
                CSV
              </button>
            )}
          </span>
        )
      }
    >
      <div class="padded">
        <div class="cluster apart targets-row">
          <fieldset class="chips" aria-label="Targets">
            {results.map(({ target, outcome }) => (
              <button
                key={target}
                type="button"
                aria-pressed={target === selected?.target}
                data-target={target}
                onClick={() => select(target)}
              >
                <Mark of={outcome} /> {target}
              </button>
            ))}
          </fieldset>
          <span class="soft">{selected && factsOf(selected)}</span>
        </div>
        {selected && (
          <div ref={plot} class="columns fit-body">
            <div>
              <Trace result={selected} fit={fit} stripped={stripped} />
            </div>
            <Figures result={selected} fit={fit} />
          </div>
        )}
      </div>
    </Panel>
  )
}

function factsOf({ attempts, duration, reason }: RoutineResult): string {
  return [
    attempts !== undefined && `attempt ${attempts}`,
    duration !== undefined && (duration < 90 ? `${Number(duration.toPrecision(2))} s` : roughly(duration)),
    reason,
  ]
    .filter(Boolean)
    .join(', ')
}

interface TraceProps {
  result: RoutineResult
  fit: ReturnType<typeof readFit>
  stripped: boolean
}

function Trace({ result, fit, stripped }: TraceProps) {
  const label = `${result.routine} on ${result.target}`
  if (fit?.kind === 'line') return <LinePlot fit={fit} label={label} />
  if (fit?.kind === 'map') return <MapPlot fit={fit} label={label} />
  if (fit?.kind === 'states') return <StatesPlot fit={fit} label={label} />
  if (stripped || isDropped(result.fit))
    return <p class="soft">The trace was removed; the numbers are kept.</p>
  if (result.fit === undefined) {
    const isSkipped = result.outcome === 'blocked' || result.outcome === 'declined'
    return (
      <p class="soft">
        {isSkipped ? `Not measured: ${result.reason || result.outcome}.` : 'The report has no trace of it.'}
      </p>
    )
  }
  return (
    <>
      <p class="soft">This tuner writes its traces in its own format.</p>
      <pre class="raw">{JSON.stringify(result.fit, null, 2).slice(0, 20_000)}</pre>
    </>
  )
}

function MapPlot({ fit, label }: { fit: MapFit; label: string }) {
  const scaled = (axis: Axis) => {
    const { factor, unit } = prefixOf(Math.max(...axis.values.map(Math.abs)), axis.unit)
    return { title: axisTitle(axis, unit), values: axis.values, factor }
  }
  const map = { x: scaled(fit.x), y: scaled(fit.y), z: fit.z }
  const value = axisTitle({ name: fit.name, unit: '', values: [] }, fit.unit)
  return (
    <>
      <SweepMap
        {...map}
        label={`${label}: ${formatCount(fit.z.length)} values against ${fit.x.name} and ${fit.y.name}`}
        zTitle={value}
      />
      <MapCut {...map}>
        {({ along, values, at: place }) => (
          <Fit
            label={`${label} at ${place}: ${formatCount(values.length)} values`}
            data={{ x: along.values, y: values }}
            xTitle={along.title}
            yTitle={value}
            xFactor={along.factor}
          />
        )}
      </MapCut>
    </>
  )
}

function Figures({ result, fit }: { result: RoutineResult; fit: ReturnType<typeof readFit> }) {
  const line = fit?.kind === 'line' ? fit : undefined
  const goodness = line?.goodness
  const figures = [
    ['Adjusted R²', goodness?.r2?.toFixed(3)],
    ['ΔBIC', goodness?.dbic === undefined ? undefined : formatCount(goodness.dbic)],
    [
      goodness?.dof === undefined ? 'χ² per degree of freedom' : `χ² / ${goodness.dof}`,
      goodness?.chi2?.toFixed(2),
    ],
  ].filter(([, text]) => text !== undefined)
  return (
    <div class="figures">
      <ValueList values={result.values} />
      {figures.length > 0 && (
        <dl class="pairs">
          {figures.map(([title, text]) => (
            <Fact key={title} name={title}>
              {text?.replace('-', '−')}
            </Fact>
          ))}
        </dl>
      )}
      {line && line.params.length > 0 && (
        <dl class="pairs">
          {line.params.map(({ name, value, error, unit }) => {
            return (
              <Fact key={name} name={name.replaceAll('_', ' ')}>
                {paramText(value, error, unit)}
              </Fact>
            )
          })}
        </dl>
      )}
      {result.error && (
        <p>
          <strong class="tone-bad">✕ {result.error.code || 'failed'}</strong> {result.error.message}
        </p>
      )}
      {(line?.model || (fit?.kind === 'map' && fit.model)) && (
        <p class="soft">
          Model: {(line?.model ?? (fit?.kind === 'map' ? fit.model : '')).replaceAll('_', ' ')}
        </p>
      )}
    </div>
  )
}

/** A parameter of a model; of most no unit is known, so that large and small ones have a power of ten. */
function paramText(value: number, error: number | undefined, unit: string): string {
  const size = Math.abs(value)
  const isPlain = unit !== '' || size === 0 || (size >= 1e-3 && size < 1e5)
  const power = isPlain ? 0 : 3 * Math.floor(Math.log10(size) / 3)
  const scale = unit === '' ? { factor: 10 ** power, unit: '' } : prefixOf(value, unit)
  const uncertainty = error && error / scale.factor
  const text = formatQuantity(value / scale.factor, { unit: scale.unit, uncertainty })
  return power === 0 ? text : `${text} × ${formatPower(power)}`
}

/** Saves the drawing with the colors that it has on the page. */
function savePlot(box: HTMLElement | null, name: string): void {
  const drawn = box?.querySelector('svg')
  if (!drawn) return
  const copy = drawn.cloneNode(true) as SVGElement
  const before = drawn.querySelectorAll('*')
  for (const [index, element] of [...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const shown = before[index]
    if (!shown) continue
    const style = getComputedStyle(shown)
    for (const property of ['fill', 'stroke', 'stroke-width', 'font', 'text-anchor'])
      element.setAttribute(property, style.getPropertyValue(property))
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  saveFile(new Blob([copy.outerHTML], { type: 'image/svg+xml' }), name)
}

function lineCsv({ x, y, curve }: LineFit): string {
  const fitted = curve && at(curve, x.values)
  const head = [x.name, y.name, ...(fitted ? ['fitted'] : [])]
  const rows = x.values.map((value, index) => [value, y.values[index], ...(fitted ? [fitted[index]] : [])])
  return `${[head, ...rows].map((row) => row.join(',')).join('\r\n')}\r\n`
}
