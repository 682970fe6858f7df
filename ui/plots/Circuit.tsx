import type { Drawing } from '../../src/qasm/index.ts'
import { type CircuitLayout, layoutCircuit, type PlacedStep } from './circuit-layout.ts'
import { ScrollRegion } from './ScrollRegion.tsx'

const WIRE_PX = 36
const BOX_PX = 26
const CHARACTER_PX = 7
const TOP_PX = 20
/** With more qubits, arrows from measurements to the bits would cross too many wires. */
const MAX_ARROW_QUBITS = 8
/** More wires than this do not fit a page in a readable size. */
export const MAX_WIRES = 64

interface CircuitProps {
  drawing: Drawing
  /** The line of the program whose symbols are highlighted. */
  line?: number | undefined
  /** Called with the line of a symbol that is pointed at or pressed. */
  pick?: ((line: number | undefined, pressed: boolean) => void) | undefined
  /** The line of the first error, where the diagram ends. */
  errorLine?: number | undefined
}

/** A circuit diagram. Its symbols and the lines of the program refer to each other. */
export function Circuit({ drawing, line, pick, errorLine }: CircuitProps) {
  const labels = drawing.qregs.flatMap(([name, size]) =>
    Array.from({ length: size }, (_, index) => (name === '$' ? `$${index}` : `${name}[${index}]`)),
  )
  const hasArrows = labels.length <= MAX_ARROW_QUBITS && drawing.cregs.length > 0
  const layout = layoutCircuit(drawing, hasArrows)
  const cregs = drawing.cregs.map(([name, size]) => `${name}[${size}]`)
  const left = 16 + CHARACTER_PX * Math.max(...[...labels, ...cregs].map((label) => label.length), 1)
  const { starts, end } = columnStarts(layout, left)
  const right = end + (errorLine === undefined ? 16 : 76)
  const y = (wire: number) => TOP_PX + wire * WIRE_PX
  const lastWire = labels.length + cregs.length - 1
  const clbitY = (clbit: number) => {
    let index = clbit
    for (const [register, [, size]] of drawing.cregs.entries()) {
      if (index < size) return y(labels.length + register)
      index -= size
    }
    return y(lastWire)
  }
  return (
    <ScrollRegion class="circuit" label="Circuit diagram">
      <svg
        role="img"
        aria-label={describe(layout, labels.length)}
        width={right}
        height={y(lastWire) + TOP_PX}
        onPointerOver={({ target }) => pick?.(lineAt(target), false)}
        onPointerLeave={() => pick?.(undefined, false)}
        onPointerUp={({ target }) => pick?.(lineAt(target), true)}
      >
        {labels.map((label, wire) => (
          <g key={label}>
            <text class="name" x={0} y={y(wire)} dy="0.35em">
              {label}
            </text>
            <line class="wire" x1={left} x2={right} y1={y(wire)} y2={y(wire)} />
          </g>
        ))}
        {cregs.map((label, register) => (
          <g key={label}>
            <text class="name" x={0} y={y(labels.length + register)} dy="0.35em">
              {label}
            </text>
            <path class="wire" d={`M${left} ${y(labels.length + register) - 1.5}H${right}m0 3H${left}`} />
          </g>
        ))}
        {layout.placed.map((placed, index) => {
          const { step } = placed
          const x = ((starts[placed.column] ?? 0) + (starts[placed.column + 1] ?? end)) / 2
          const classes = [
            'step',
            step.conditional && 'conditional',
            step.line === line && 'found',
            pick && 'pressable',
          ]
          return (
            <g key={index} class={classes.filter(Boolean).join(' ')} data-line={step.line}>
              <title>{titleOf(placed)}</title>
              <Step placed={placed} x={x} y={y} clbitY={hasArrows ? clbitY : undefined} />
            </g>
          )
        })}
        {errorLine !== undefined && (
          <g class="broken">
            <rect x={end + 4} y={4} width={64} height={y(lastWire) + TOP_PX - 8} />
            <text x={end + 36} y={y(lastWire) / 2 + TOP_PX / 2} text-anchor="middle">
              line {errorLine}
            </text>
          </g>
        )}
      </svg>
    </ScrollRegion>
  )
}

/** The line of the symbol that an event occurred on. */
function lineAt(target: EventTarget | null): number | undefined {
  const symbol = target instanceof Element ? target.closest<SVGElement>('[data-line]') : null
  return symbol ? Number(symbol.dataset['line']) : undefined
}

interface StepProps {
  placed: PlacedStep
  x: number
  y: (wire: number) => number
  /** Height of the line of a classical bit; absent when measurements have no arrow. */
  clbitY: ((clbit: number) => number) | undefined
}

function Step({ placed: { step, symbol }, x, y, clbitY }: StepProps) {
  const { shape, label, wires, controls } = symbol
  const all = [...wires, ...controls.map(({ qubit }) => qubit)].map(y)
  const [top, bottom] = [Math.min(...all), Math.max(...all)]
  const clbit = step.kind === 'measure' ? step.clbit : -1
  return (
    <>
      {controls.length + wires.length > 1 && shape !== 'barrier' && (
        <line class="link" x1={x} x2={x} y1={top} y2={bottom} />
      )}
      {controls.map(({ qubit, value }) => (
        <circle key={qubit} class={value === 1 ? 'dot' : 'dot open'} cx={x} cy={y(qubit)} r={4} />
      ))}
      {shape === 'box' && <Box label={label} x={x} wires={wires} y={y} />}
      {shape === 'reset' && <Box label={label} x={x} wires={wires} y={y} />}
      {shape === 'meter' && <Meter x={x} y={y(wires[0] ?? 0)} clbit={clbit} clbitY={clbitY} />}
      {wires.map((wire) => (
        <Mark key={wire} shape={shape} x={x} y={y(wire)} />
      ))}
    </>
  )
}

function Mark({ shape, x, y }: { shape: PlacedStep['symbol']['shape']; x: number; y: number }) {
  if (shape === 'dot') return <circle class="dot" cx={x} cy={y} r={4} />
  if (shape === 'cross') return <path class="cross" d={`M${x - 5} ${y - 5}l10 10m0 -10l-10 10`} />
  if (shape === 'barrier') return <path class="barrier" d={`M${x} ${y - WIRE_PX / 2}v${WIRE_PX}`} />
  if (shape !== 'plus') return null
  return (
    <>
      <circle class="plus" cx={x} cy={y} r={10} />
      <path class="cross" d={`M${x} ${y - 10}v20m-10 -10h20`} />
    </>
  )
}

/** One box over the wires between the first and the last; with several, each names its place. */
function Box({
  label,
  x,
  wires,
  y,
}: {
  label: string
  x: number
  wires: number[]
  y: (wire: number) => number
}) {
  const [top, bottom] = [Math.min(...wires.map(y)), Math.max(...wires.map(y))]
  const width = boxWidth(label, wires.length)
  return (
    <>
      <rect
        class="box"
        x={x - width / 2}
        y={top - BOX_PX / 2}
        width={width}
        height={bottom - top + BOX_PX}
        rx={2}
      />
      <text class="text" x={x} y={(top + bottom) / 2} dy="0.35em" text-anchor="middle">
        {label}
      </text>
      {wires.length > 1 &&
        wires.map((wire, place) => (
          <text key={wire} class="place" x={x - width / 2 + 4} y={y(wire)} dy="0.35em">
            {place}
          </text>
        ))}
    </>
  )
}

interface MeterProps {
  x: number
  y: number
  clbit: number
  clbitY: StepProps['clbitY']
}

function Meter({ x, y, clbit, clbitY }: MeterProps) {
  const end = clbit >= 0 ? clbitY?.(clbit) : undefined
  return (
    <>
      {end !== undefined && (
        <>
          <line class="arrow" x1={x} x2={x} y1={y} y2={end - 6} />
          <path class="tip" d={`M${x - 4} ${end - 7}h8l-4 6z`} />
        </>
      )}
      <rect class="meter" x={x - BOX_PX / 2} y={y - BOX_PX / 2} width={BOX_PX} height={BOX_PX} rx={2} />
      <path class="cross" d={`M${x - 8} ${y + 5}a8 8 0 0 1 16 0m-8 1l5 -10`} />
      {end === undefined && clbit >= 0 && (
        <text class="place" x={x + BOX_PX / 2 + 2} y={y - 8}>
          {clbit}
        </text>
      )}
    </>
  )
}

function boxWidth(label: string, wires: number): number {
  return Math.max(BOX_PX, label.length * CHARACTER_PX + 10) + (wires > 1 ? 14 : 0)
}

/** The left end of each column, as wide as its widest symbol. */
function columnStarts({ placed, columns }: CircuitLayout, left: number): { starts: number[]; end: number } {
  const widths = new Array<number>(columns).fill(BOX_PX)
  for (const { column, symbol } of placed) {
    const isBox = symbol.shape === 'box' || symbol.shape === 'reset'
    const width = isBox ? boxWidth(symbol.label, symbol.wires.length) : BOX_PX
    widths[column] = Math.max(widths[column] ?? 0, width)
  }
  const starts: number[] = []
  let x = left + 8
  for (const width of widths) {
    starts.push(x)
    x += width + 12
  }
  return { starts, end: x }
}

function describe({ depth, entangling, placed }: CircuitLayout, qubits: number): string {
  return `Circuit on ${qubits} qubits with ${placed.length} symbols, depth ${depth}, ${entangling} gates on several qubits`
}

function titleOf({ step }: PlacedStep): string {
  const name = step.kind === 'gate' ? step.name : step.kind
  return `${name}, line ${step.line}${step.conditional ? ', if an outcome requires it' : ''}`
}
