/** A text as one word of a POSIX shell: nothing in it is expanded. */
export function shellQuoted(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** A text as a literal of JavaScript; safe in HTML too. */
export function scriptQuoted(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('</', '<\\/')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return `'${escaped}'`
}

/** A value as an expression of JavaScript, indented. */
export function scriptValue(value: unknown, indent = ''): string {
  if (typeof value === 'string') return scriptQuoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each !== 'object' || each === null)) {
      return `[${value.map((each) => scriptValue(each)).join(', ')}]`
    }
    return `[\n${value.map((each) => `${inner}${scriptValue(each, inner)},\n`).join('')}${indent}]`
  }
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  if (entries.length === 0) return '{}'
  const lines = entries.map(([key, each]) => `${inner}${scriptKey(key)}: ${scriptValue(each, inner)},\n`)
  return `{\n${lines.join('')}${indent}}`
}

/** A value as an expression of Python on one line. */
export function pythonValue(value: unknown): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null || value === undefined) return 'None'
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined)
    return `{${entries.map(([key, each]) => `${pythonValue(key)}: ${pythonValue(each)}`).join(', ')}}`
  }
  // Escapes of JSON are escapes of Python too.
  return JSON.stringify(value)
}

/** A value as an expression of Go on one line. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  // Escapes of JSON are escapes of Go too, but for halves of a character.
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[]any{${value.map(goValue).join(', ')}}`
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return `map[string]any{${entries.map(([key, each]) => `${goValue(key)}: ${goValue(each)}`).join(', ')}}`
}

function scriptKey(key: string): string {
  // As a plain key, __proto__ would set the prototype.
  if (key === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : scriptQuoted(key)
}
