import { type OptionSpec, type OptionSpecs, opt } from '../options.ts'
import type { PythonOption } from '../python-worker/messages.ts'

/** Options declared in Python as those of any device, so that the same rules and messages hold. */
export function optionSpecsOf(declared: readonly PythonOption[]): OptionSpecs {
  return Object.fromEntries(declared.map((option) => [option.key, specOf(option)]))
}

function specOf(option: PythonOption): OptionSpec<unknown> {
  const { kind, help, required, default: initial, example, min, max, values } = option
  const details = {
    help,
    required,
    ...(typeof example === 'string' && { example }),
    ...(typeof min === 'number' && { min }),
    ...(typeof max === 'number' && { max }),
  }
  // Each builder takes the details of its own kind; the default, which differs, is set below.
  const build: (details: object) => OptionSpec<unknown> =
    kind === 'enum' ? (each) => opt.enum(values ?? [], each as typeof details) : (opt[kind] as never)
  const spec = build(details)
  // Checked in Python against the same type.
  return initial === undefined || initial === null ? spec : { ...spec, default: initial }
}
