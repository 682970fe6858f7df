import {
  MODULE_KINDS,
  type ModuleKind,
  type ModuleName,
} from '../../../../src/devices/chip/hardware/modules.ts'
import { blockOf, jsonBlock, lineOfBlocks } from '../protocol/commands.ts'
import { Refusal } from '../protocol/error-queue.ts'
import { type Call, CommandTable, jsonArgument, type Table } from '../protocol/table.ts'
import { AcquisitionList, type ScopePath } from './acquisition-list.ts'
import { FrontEnd } from './front-end.ts'
import { NamedList } from './named-list.ts'
import { type ChannelMap, FakeSequencer } from './sequencer.ts'
import { configIn, configText } from './sequencer-config.ts'

/** Settings of the scope of a module. */
interface ScopeConfig {
  sel_path: number[]
  avg_en_path: boolean[]
}

interface ModuleOptions {
  name: ModuleName
  slot: number
  /** Runs what has been started. */
  onStart: () => void
  hasExitCode: boolean
}

/** One module of the cluster, with a table of commands and an error queue of its own. */
export class FakeModule {
  readonly name: ModuleName
  readonly slot: number
  readonly kind: ModuleKind
  readonly sequencers: readonly FakeSequencer[]
  readonly frontEnd: FrontEnd
  readonly commands: CommandTable
  readonly #options: ModuleOptions
  scopeConfig: ScopeConfig
  #scope: () => Promise<readonly ScopePath[] | undefined> = async () => undefined
  #assemblerLog = ''
  #assembled = true

  constructor(options: ModuleOptions) {
    const { name, slot } = options
    this.name = name
    this.slot = slot
    this.kind = MODULE_KINDS[name]
    this.#options = options
    const paths = name === 'QRC' ? 4 : 2
    this.scopeConfig = {
      sel_path: Array(paths).fill(0),
      avg_en_path: Array(paths).fill(false),
      ...{ sel_acq: false, trig: { mode_path: Array(paths).fill(false), lvl_path: Array(paths).fill(0) } },
    }
    const emptyScope = () =>
      Array.from({ length: paths }, () => ({
        samples: new Int32Array(0),
        isOutOfRange: false,
        repetitions: 0,
      }))
    const outputs = this.kind.outputs.filter((each) => each.startsWith('complex_')).length
    const path = (first: number): number[] => Array.from({ length: outputs }, (_, index) => 2 * index + first)
    this.sequencers = Array.from(
      { length: this.kind.sequencers },
      () =>
        new FakeSequencer({
          ...{ kind: this.kind, outputs: [path(0), path(1)], emptyScope },
          inputs: this.kind.inputs.length > 0 ? [[0], [1]] : [],
        }),
    )
    this.frontEnd = new FrontEnd(name)
    this.commands = new CommandTable(this.frontEnd.table, ...this.#tables())
  }

  /** Keeps what the scope shows, which is worked out when somebody reads it. */
  recordScope(scope: () => Promise<readonly ScopePath[]>): void {
    let shown: Promise<readonly ScopePath[]> | undefined
    this.#scope = () => {
      shown ??= scope()
      return shown
    }
  }

  #tables(): Table[] {
    const of = ([number = 0]: readonly number[]): FakeSequencer => {
      const found = this.sequencers[number]
      if (!found) throw new Refusal(-114, 'Header suffix out of range')
      return found
    }
    const at = (number: number) => of([number])
    const waveforms = NamedList.table('AWG:WLISt:WAVeform', (number) => at(number).waveforms)
    const queue: Table = {
      'SYSTem:ERRor:COUNt?': () => this.commands.errors.count,
      'SYSTem:ERRor:NEXT?': () => this.commands.errors.next(),
      '*CLS': () => this.commands.errors.clear(),
      '*OPC?': () => 1,
    }
    const each = (act: (sequencer: FakeSequencer) => undefined): undefined => {
      for (const sequencer of this.sequencers) act(sequencer)
    }
    const start = (sequencers: readonly FakeSequencer[]): undefined => {
      for (const sequencer of sequencers) sequencer.start()
      this.#options.onStart()
    }
    const control: Table = {
      'SEQuencer#:PROGram': ({ numbers, block }) => this.#load(of(numbers), block),
      'STATus:ASSEMbler:SUCCess?': () => (this.#assembled ? 1 : 0),
      'STATus:ASSEMbler:LOG?': () => lineOfBlocks(blockOf(this.#assemblerLog)),
      'SEQuencer#:CONFiguration': ({ numbers, block }) => {
        of(numbers).config = configIn(block)
      },
      'SEQuencer#:CONFiguration?': ({ numbers }) => lineOfBlocks(blockOf(configText(of(numbers).config))),
      'SEQuencer#:CHANnelmap': ({ numbers, block }) => {
        of(numbers).outputs = jsonArgument(block) as ChannelMap
      },
      'SEQuencer#:CHANnelmap?': ({ numbers }) => jsonBlock(of(numbers).outputs),
      ...(this.frontEnd.hasMixers && {
        'MIXer:SIDEbands:CALIB': ({ args }: Call) => at(Number(args[0])).calibrateSidebands(),
      }),
      'SEQuencer#:STATE?': ({ numbers }) => of(numbers).status(this.#options.hasExitCode),
      'SEQuencer#:ARM': ({ numbers }) => of(numbers).arm(),
      'SEQuencer#:START': ({ numbers }) => start([of(numbers)]),
      'SEQuencer#:STOP': ({ numbers }) => of(numbers).stop(),
      'SEQuencer#:CLR:FLAGS': ({ numbers }) => of(numbers).clearFlags(),
      'SEQuencer:ARM': () => each((sequencer) => sequencer.arm()),
      'SEQuencer:START': () => start(this.sequencers),
      'SEQuencer:STOP': () => each((sequencer) => sequencer.stop()),
      'SEQuencer:CLR:FLAGS': () => each((sequencer) => sequencer.clearFlags()),
    }
    if (this.kind.inputs.length === 0) return [queue, waveforms, control]
    const recording: Table = {
      'SEQuencer#:ACQ:CHANnelmap': ({ numbers, block }) => {
        of(numbers).inputs = jsonArgument(block) as ChannelMap
      },
      'SEQuencer#:ACQ:CHANnelmap?': ({ numbers }) => jsonBlock(of(numbers).inputs),
      'ACQ:SCOpe:CONFiguration': ({ block }) => {
        this.scopeConfig = jsonArgument(block) as ScopeConfig
      },
      'ACQ:SCOpe:CONFiguration?': () => jsonBlock(this.scopeConfig),
      ...NamedList.table('ACQ:WLISt:WEIght', (number) => at(number).weights),
      ...AcquisitionList.table(
        (number) => at(number).acquisitions,
        () => this.#scope(),
      ),
    }
    return [queue, waveforms, control, recording]
  }

  #load(sequencer: FakeSequencer, block: Buffer): undefined {
    this.#assemblerLog = sequencer.load(block.toString('utf8'))
    this.#assembled = this.#assemblerLog === ''
    if (!this.#assembled) throw new Refusal(-200, 'Assembly failed.')
  }
}
