/** A format that is not OpenQASM: how it is recognized, and what to send instead. */
interface Format {
  name: string
  begins: RegExp
  remedy?: string
}

const QISKIT = 'in Qiskit write qiskit.qasm3.dumps(circuit)'

/** Tested in this order on the beginning of a text without leading comments. */
const FORMATS: readonly Format[] = [
  {
    name: 'QPY',
    begins: /^(QISKIT|UUlTS0lU)/,
    remedy: 'load it with qiskit.qpy.load and write qiskit.qasm3.dumps(circuit)',
  },
  {
    name: 'HUGR',
    begins: /^(HUGRiHJv|\{[^{]*"modules"\s*:|\{.*"hugr)/s,
    remedy: 'of a pytket circuit, write pytket.qasm.circuit_to_qasm_str(circuit)',
  },
  {
    name: 'QIR',
    begins:
      /^(BC\xc0\xde|QkPA3|source_filename\s*=|target (triple|datalayout)|define \S.* @|declare \S.* @|%\w+ = type )/,
    remedy: QISKIT,
  },
  {
    name: 'a Jupyter notebook',
    begins: /^\{.*"(nbformat|cell_type)"\s*:/s,
    remedy: 'run it, and submit its circuit with a client',
  },
  { name: 'JSON', begins: /^[{[]\s*["{[]/, remedy: QISKIT },
  {
    name: 'Python',
    begins:
      /^(from\s+[\w.]+\s+import\s|import\s+[\w.]+(\s+as\s|\s*$|\s*,)|(async\s+)?def\s+\w+\(.*\)(\s*->.*)?:\s*$|class\s+\w+.*:\s*$|"""|@\w)/m,
    remedy: 'run it, and submit its circuit with a client',
  },
  { name: 'cQASM', begins: /^version\s+\d/i, remedy: QISKIT },
  {
    name: 'Quil',
    begins:
      /^(DECLARE\s+\w|DEFGATE\s|DEFCIRCUIT\s|DEFCAL\s|DEFFRAME\s|MEASURE\s+\d|RESET\s*$|PRAGMA\s|[A-Z]+(\([^)\n]*\))?(\s+\d+)+\s*$)/m,
    remedy: QISKIT,
  },
]

/** Characters that are looked at. */
const MAX_BEGINNING = 4_096

/**
 * Says which format a text has that is not OpenQASM, and what to send; undefined for one that is not
 * recognized. Only for texts with a syntax error: it does not exclude OpenQASM.
 */
export function foreignFormat(text: string): string | undefined {
  const beginning = text.slice(0, MAX_BEGINNING).replace(/^(\s*(#(?!pragma|dim).*|;.*|\/\/.*)?\n)*\s*/, '')
  if (/^(OPENQASM\b|include\s*["'])/m.test(beginning)) return undefined
  const format = FORMATS.find(({ begins }) => begins.test(beginning))
  return (
    format && `This is ${format.name}, not OpenQASM: export the circuit as OpenQASM 2 or 3; ${format.remedy}`
  )
}
