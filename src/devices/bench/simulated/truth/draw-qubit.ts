import type { Draws } from '../random.ts'
import type { QubitTruth, ReadoutTruth } from './chip-truth.ts'
import type { QubitDesign } from './design.ts'

/** How far the truth lies from the design: as a good wafer has it, or as a bad one. */
export type BringUp = 'normal' | 'hard'

const QUBIT_OFFSET = { normal: 12e6, hard: 250e6 } as const
const MAX_PI_AMPLITUDE = { normal: 0.8, hard: 0.95 } as const
const READOUT_OFFSET = 1e6

/** Bands of frequency of a qubit without a design: neighbors lie in different ones. */
const BANDS = [
  [4.42e9, 4.55e9],
  [4.92e9, 5.05e9],
] as const
const READOUT_BAND = [6.35e9, 7.2e9] as const
/** Least distance of two resonators on a line, Hz. */
const READOUT_SPACING = 8e6

/** The window for which the noise is drawn, µs, and the share of the contrast that it sees. */
const WINDOW_US = 2.5
const FILLED = 0.4

/** Sigma of a pulse in units of its duration. */
const SIGMA = 1 / 8

interface QubitPlace {
  /** Place on its line, and how many share it. */
  index: number
  count: number
  /** 0 or 1: neighbors differ. */
  band: number
  line: string
}

/** Draws a transmon and its resonator around their design. */
export function drawQubit(
  draws: Draws,
  design: QubitDesign,
  place: QubitPlace,
  bringUp: BringUp,
): QubitTruth {
  const draw = (field: string, low: number, high: number) => draws.between(low, high, design.name, field)
  const offset = QUBIT_OFFSET[bringUp]
  const [low, high] = BANDS[place.band % 2] ?? BANDS[0]
  const designed = design.f01 ?? draw('band', low, high)
  const f01 = designed + draw('f01', -offset, offset)
  const anharmonicity =
    design.f12 !== undefined && design.f01 !== undefined
      ? design.f12 - design.f01 + draw('anharmonicity', -6e6, 6e6)
      : draw('anharmonicity', -255e6, -150e6)
  const t1 = 60e-6 * Math.exp(draw('t1', -0.4, 0.4))
  const t2Echo = Math.min(draw('t2_echo', 18e-6, 60e-6), 1.9 * t1)
  const t2Star = Math.min(draw('t2_star', 10e-6, 30e-6), 0.85 * t2Echo)
  const compression = 0.03
  const amplitude = draw('pi_amplitude', 0.4, MAX_PI_AMPLITUDE[bringUp])
  const area = SIGMA * design.piDuration * 1e-9 * Math.sqrt(2 * Math.PI)
  return {
    f01,
    anharmonicity,
    t1,
    t2_star: t2Star,
    t2_echo: t2Echo,
    thermal: draw('thermal', 0.01, 0.02),
    rabi: 1 / (2 * amplitude * (1 - compression * amplitude ** 2) * area),
    compression,
    quadrature: draw('quadrature', 0.8, 1.2),
    ...drawDefect(draws, design.name, f01),
    readout: drawReadout(draws, design, place),
  }
}

/** One qubit in five has a defect near its frequency; one in five, not always the same, switches. */
function drawDefect(draws: Draws, name: string, f01: number): Pick<QubitTruth, 'defect' | 'switching'> {
  const draw = (field: string, low: number, high: number) => draws.between(low, high, name, field)
  const defect = {
    frequency: f01 + draw('defect', -3e6, 3e6),
    width: draw('defect_width', 0.3e6, 1e6),
    decay: draw('defect_decay', 1e4, 3e4),
  }
  const side = draw('switching_side', -1, 1) < 0 ? -1 : 1
  const switching = {
    shift: side * 20e3 * 10 ** draw('switching', 0, 1),
    dwell: 10 ** draw('dwell', 0, 4),
  }
  return {
    ...(draw('has_defect', 0, 1) < 0.2 && { defect }),
    ...(draw('switches', 0, 1) < 0.2 && { switching }),
  }
}

function drawReadout(draws: Draws, design: QubitDesign, place: QubitPlace): ReadoutTruth {
  const draw = (field: string, low: number, high: number) => draws.between(low, high, design.name, field)
  const [low, high] = READOUT_BAND
  const spacing = (high - low) / Math.max(1, place.count)
  const free = Math.max(0, (spacing - READOUT_SPACING) / 2)
  const inBand = low + (place.index + 0.5) * spacing + draw('readout_band', -free, free)
  const linewidth = draw('linewidth', 0.36e6, 0.46e6)
  const pull = draw('pull_1', -200e3, -120e3)
  const depth = draw('depth', 0.7, 0.9)
  const gain = draw('gain', 0.05, 0.2)
  const criticalAmplitude = draw('critical_amplitude', 0.15, 0.4)
  // Signals of 0 and 1 at the amplitude of best readout; the resonator fills during the window.
  const contrast = (depth * 2 * Math.abs(pull)) / Math.hypot(linewidth, pull)
  const separation = 0.3 * criticalAmplitude * gain * contrast * FILLED
  return {
    frequency: (design.readout ?? inBand) + draw('readout', -READOUT_OFFSET, READOUT_OFFSET),
    linewidth,
    pulls: [pull, pull * draw('pull_2', 1.6, 1.9)],
    lamb_shift: draw('lamb_shift', 0.6e6, 0.9e6),
    critical_amplitude: criticalAmplitude,
    depth,
    asymmetry: draw('asymmetry', -0.3, 0.3),
    gain,
    phase: draw('phase', -Math.PI, Math.PI),
    noise: (separation * Math.sqrt(WINDOW_US)) / draw('distance', 4.8, 5.8),
    induced: draw('induced', 0.008, 0.012),
    line: place.line,
  }
}
