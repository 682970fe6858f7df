/** What a sequencer of a module holds. */
export interface SequencerMemory {
  instructions: number
  /** Samples of all waveforms together. */
  samples: number
  /** Bins of all acquisitions together; 0 for a module without inputs. */
  bins: number
}

/** What a kind of module can play and acquire. */
export interface ModuleKind {
  /** Radio frequency: its outputs mix with a local oscillator of their own. */
  isRf: boolean
  sequencers: number
  /** Names of the channels of the hardware file. */
  outputs: readonly string[]
  inputs: readonly string[]
  /** Memory of each sequencer. */
  memory: SequencerMemory
  /** Marker outputs that open the switch of each output, a bit each; none for a module without switches. */
  markers: readonly number[]
  /** Local oscillator of each output; none on baseband modules. */
  oscillators: readonly string[]
  /** Range of the static voltage of an output, V; 0 where an output has none. */
  offsetV: number
}

const SAMPLES = 16_384
const CONTROL: SequencerMemory = { instructions: 16_384, samples: SAMPLES, bins: 0 }
/** The bins that every firmware holds; newer ones hold more. */
const READOUT: SequencerMemory = { instructions: 12_288, samples: SAMPLES, bins: 131_072 }

const REAL_4 = ['real_output_0', 'real_output_1', 'real_output_2', 'real_output_3']
const COMPLEX_2 = ['complex_output_0', 'complex_output_1']
const COMPLEX_6 = [
  'complex_output_0',
  'complex_output_1',
  'complex_output_2',
  'complex_output_3',
  'complex_output_4',
  'complex_output_5',
]

/** The modules of a cluster, by the names of the hardware file; figures of their vendor's documentation. */
export const MODULE_KINDS = {
  QCM: {
    isRf: false,
    sequencers: 6,
    outputs: [...COMPLEX_2, ...REAL_4],
    inputs: [],
    memory: CONTROL,
    markers: [],
    oscillators: [],
    offsetV: 2.5,
  },
  QCM_RF: {
    isRf: true,
    sequencers: 6,
    outputs: COMPLEX_2,
    inputs: [],
    memory: CONTROL,
    markers: [0b01, 0b10],
    oscillators: ['LO0', 'LO1'],
    offsetV: 0,
  },
  QRM: {
    isRf: false,
    sequencers: 6,
    outputs: ['complex_output_0', 'real_output_0', 'real_output_1'],
    inputs: ['complex_input_0', 'real_input_0', 'real_input_1'],
    memory: READOUT,
    markers: [],
    oscillators: [],
    offsetV: 0.5,
  },
  QRM_RF: {
    isRf: true,
    sequencers: 6,
    outputs: ['complex_output_0'],
    inputs: ['complex_input_0'],
    // Its one oscillator, of the output and the input, is the second of the module.
    memory: READOUT,
    markers: [0b10],
    oscillators: ['LO1'],
    offsetV: 0,
  },
  QRC: {
    isRf: true,
    sequencers: 12,
    outputs: COMPLEX_6,
    inputs: ['complex_input_0', 'complex_input_1'],
    // A front end of its own mixes and switches each output: neither markers nor named oscillators.
    memory: READOUT,
    markers: [],
    oscillators: [],
    offsetV: 0,
  },
} as const satisfies Record<string, ModuleKind>

export type ModuleName = keyof typeof MODULE_KINDS

/** Whether a module with this name plays or acquires. */
export function isModuleName(name: string): name is ModuleName {
  return Object.hasOwn(MODULE_KINDS, name)
}

/** Largest distance of a tone from its oscillator, or from 0 on a baseband output, Hz. */
export const MAX_NCO_HZ = 500e6
/** Range of the local oscillators of RF modules, Hz. */
export const LO_RANGE_HZ = { min: 2e9, max: 18.5e9 }
