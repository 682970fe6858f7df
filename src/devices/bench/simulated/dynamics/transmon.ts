import type { DampingRates } from './damping.ts'

/** A transmon and its drive line as they are during one program. */
export interface Transmon {
  /** Frequency of the transition 0–1, Hz. */
  f01: number
  /** f12 − f01, Hz. */
  anharmonicity: number
  rates: DampingRates
  /** Standard deviation of the slow noise of f01, Hz. */
  slowNoise: number
  /** A second value of f01 between which a defect switches within a program, as a distance, Hz. */
  switching: number
  /** Population of level 1 in equilibrium. */
  thermal: number
  /** Rabi frequency per amplitude at small amplitude, Hz. */
  rabi: number
  /** Relative loss of the Rabi frequency at full scale; grows with the square of the amplitude. */
  compression: number
  /** Sign of the phase and of the second quadrature on the line: a mirrored line has −1. */
  hand: 1 | -1
  /** Gain of the second quadrature against the first. */
  quadrature: number
}

/** The gate line between two transmons as it is during one program. */
export interface Gate {
  /** Frequency by which the state |11⟩ is shifted at all times, Hz. */
  conditional: number
  /** A tone at the difference frequency, or a baseband pulse that brings |11⟩ and |20⟩ together. */
  kind: 'parametric' | 'baseband'
  /** Coupling of |11⟩ and |20⟩, Hz; for a parametric gate per amplitude. */
  coupling: number
  /** Change of the difference of |20⟩ and |11⟩ per squared amplitude, Hz; towards smaller distances. */
  shift: number
  /** Shifts of both transmons per squared amplitude, Hz. */
  starkA: number
  starkB: number
  /** Offset of the resonance against the frequencies of the transmons, Hz. */
  offset: number
  /** Standard deviation of the slow noise of the resonance, Hz. */
  slowNoise: number
  distortion: { amplitude: number; tau: number } | undefined
}
