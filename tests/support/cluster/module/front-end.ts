import {
  MODULE_KINDS,
  type ModuleKind,
  type ModuleName,
} from '../../../../src/devices/chip/hardware/modules.ts'
import { jsonBlock } from '../protocol/commands.ts'
import { Refusal } from '../protocol/error-queue.ts'
import { type Call, jsonArgument, numberArgument, type Table } from '../protocol/table.ts'

/** A setting behind the sequencers of a module: its command, how many there are, and what it accepts. */
interface Setting {
  command: string
  /** Numbers that the module has, such as 0 and 1 of `OUT0`, `OUT1`. */
  numbers: readonly number[]
  min: number
  max: number
  step?: number
  initial?: number
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

function settingsOf(name: ModuleName): Setting[] {
  const kind: ModuleKind = MODULE_KINDS[name]
  if (name === 'QRC') return []
  const outputs = kind.outputs.filter((each) => each.startsWith('complex_')).length
  const hasInputs = kind.inputs.length > 0
  if (!kind.isRf) {
    return [
      { command: 'AFE:OFFSet:DAC#', numbers: upTo(2 * outputs), min: -kind.offsetV, max: kind.offsetV },
      ...(hasInputs ? [{ command: 'AFE:GAIN:INAMP#', numbers: [0, 1], min: -6, max: 26, step: 1 }] : []),
    ]
  }
  const oscillators = kind.oscillators.map((each) => Number(each.slice(2)))
  return [
    {
      ...{ command: 'STATus:QUEStionable:FREQuency:LO#', numbers: oscillators },
      ...{ min: 2e9, max: 18.5e9, step: 1, initial: 6e9 },
    },
    { command: 'LO#:ENAble', numbers: oscillators, min: 0, max: 1, step: 1, initial: 1 },
    { command: 'STATus:QUEStionable:POWer:LO#', numbers: oscillators, min: 0, max: 100 },
    { command: 'AFE:ATT:OUT#', numbers: upTo(outputs), min: 0, max: 60, step: 2 },
    { command: 'AFE:OFFSet:OUTAMP#', numbers: upTo(2 * outputs), min: -84, max: 73 },
    ...(hasInputs ? [{ command: 'AFE:ATT:IN#', numbers: [0], min: 0, max: 30, step: 2 }] : []),
  ]
}

/** Settings of a QRC, which are set by queries with the number of the channel as an argument. */
const DIRECT = [
  { command: 'AFE:OUT:ATT', channels: 6, min: 0, max: 31.5 },
  { command: 'AFE:OUT:FREQ', channels: 6, min: 0, max: 10e9 },
  { command: 'AFE:IN:FREQ', channels: 2, min: 0, max: 10e9 },
  { command: 'AFE:IN:ATT', channels: 2, min: 0, max: 47 },
]

/** The oscillators, attenuators, amplifiers and static voltages of a module. */
export class FrontEnd {
  /** Values by command, such as `AFE:ATT:OUT0`. */
  readonly values = new Map<string, number>()
  #distortion: Record<string, unknown> = {}
  readonly table: Table
  /** The most that its attenuators of outputs can do, dB. */
  maxAttenuation = 60
  /** Whether there are mixers behind its outputs: oscillators, and not those of a QRC. */
  readonly hasMixers: boolean

  constructor(name: ModuleName) {
    this.hasMixers = MODULE_KINDS[name].isRf && name !== 'QRC'
    const settings = settingsOf(name)
    for (const { command, numbers, initial = 0 } of settings) {
      for (const number of numbers) this.values.set(command.replace('#', String(number)), initial)
    }
    this.table = {
      ...Object.assign({}, ...settings.map((setting) => this.#indexed(setting))),
      ...(name === 'QRC' ? Object.assign({}, ...DIRECT.map((setting) => this.#direct(setting))) : {}),
      ...(this.hasMixers ? { 'MIXer:LO:CALIB': (call: Call) => this.#calibrate(call) } : {}),
      'PREDISTortion:CONFiguration': ({ block }) => {
        this.#distortion = merged(this.#distortion, jsonArgument(block))
      },
      'PREDISTortion:CONFiguration?': () => jsonBlock(this.#distortion),
    }
  }

  #indexed({ command, numbers, min, max, step = 0 }: Setting): Table {
    const nameOf = ([number = 0]: readonly number[]) => {
      if (!numbers.includes(number)) throw new Refusal(-114, 'Header suffix out of range')
      return command.replace('#', String(number))
    }
    const largest = command === 'AFE:ATT:OUT#' ? { [`${command}:MAX?`]: () => this.maxAttenuation } : {}
    return {
      [command]: ({ numbers: given, args }) => {
        this.values.set(nameOf(given), numberArgument(args[0], min, max, step))
      },
      [`${command}?`]: ({ numbers: given }) => this.values.get(nameOf(given)) ?? 0,
      ...largest,
    }
  }

  #direct({ command, channels, min, max }: (typeof DIRECT)[number]): Table {
    const nameOf = (channel: string | undefined) =>
      `${command} ${numberArgument(channel, 0, channels - 1, 1)}`
    const family = command.slice(0, command.lastIndexOf(':'))
    return {
      [`${command}:SET?`]: ({ args }) => {
        this.values.set(nameOf(args[0]), numberArgument(args[1], min, max))
        return jsonBlock('Ok')
      },
      [`${command}:GET?`]: ({ args }) => this.values.get(nameOf(args[0])) ?? 0,
      ...(command.endsWith('ATT') && { [`${family}:MAX:ATT:GET?`]: () => max }),
    }
  }

  /** Finds the offsets of an output: the numbers of its converters, mV. */
  #calibrate({ args }: Call): undefined {
    const output = numberArgument(args[0], 0, 1, 1)
    for (const number of [2 * output, 2 * output + 1]) this.values.set(`AFE:OFFSet:OUTAMP${number}`, number)
    return undefined
  }
}

/** An object with the values of another one put into it, at any depth. */
function merged(base: Record<string, unknown>, change: unknown): Record<string, unknown> {
  const entries = Object.entries(change as Record<string, unknown>).map(([key, value]) => {
    const before = base[key]
    const isTree = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [key, isTree ? merged((before ?? {}) as Record<string, unknown>, value) : value]
  })
  return { ...base, ...Object.fromEntries(entries) }
}
