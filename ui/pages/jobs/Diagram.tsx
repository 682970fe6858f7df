import type { Signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Diagram as Drawn } from '../../jobs/check/check-program.ts'
import { Menu } from '../../parts/Menu.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Circuit, MAX_WIRES } from '../../plots/Circuit.tsx'
import { layoutCircuit } from '../../plots/circuit-layout.ts'
import { savePlot } from '../../plots/save-plot.ts'

interface DiagramProps {
  diagram: Drawn
  /** The line of the program that is pointed at, in the diagram or in the text. */
  line: Signal<number | undefined>
  /** Called when a symbol is pressed. */
  goTo?: ((line: number) => void) | undefined
  file: string
  /** What is drawn of several parameter sets. */
  note?: string | undefined
}

/** The circuit diagram of a program in a panel. */
export function Diagram({ diagram: { drawing, errorLine }, line, goTo, file, note }: DiagramProps) {
  const plot = useRef<HTMLDivElement>(null)
  const wires = drawing.qregs.reduce((sum, [, size]) => sum + size, 0)
  if (wires === 0) return null
  if (wires > MAX_WIRES) {
    return (
      <Panel title="Circuit">
        <p class="padded soft">
          The program declares {wires} qubits; a diagram has at most {MAX_WIRES}.
        </p>
      </Panel>
    )
  }
  const { depth, entangling } = layoutCircuit(drawing, true)
  return (
    <Panel
      title="Circuit"
      aside={
        <div class="actions">
          <span class="soft">
            depth {depth}, {entangling} gate{entangling === 1 ? '' : 's'} on several qubits
          </span>
          <Menu
            button="Save"
            label="Save the diagram"
            items={[
              { title: 'SVG', run: () => void savePlot(plot.current, `${file}-circuit`, 'svg') },
              { title: 'PNG', run: () => void savePlot(plot.current, `${file}-circuit`, 'png') },
            ]}
          />
        </div>
      }
    >
      <div ref={plot} class="padded">
        <Circuit
          drawing={drawing}
          line={line.value}
          errorLine={errorLine}
          pick={(picked, isPressed) => {
            line.value = picked
            if (isPressed && picked !== undefined) goTo?.(picked)
          }}
        />
        <p class="caption">
          {note && `${note} `}
          Loops are unrolled.{' '}
          {goTo ? 'Select a symbol to find its line.' : 'Point at a symbol to find its line.'}
          {errorLine !== undefined && ' Drawing stops at the first error.'}
          {drawing.missing === 'too_many' && ' The beginning is drawn.'}
          {drawing.missing === 'undecided' && ' What follows depends on measured outcomes.'}
        </p>
      </div>
    </Panel>
  )
}
