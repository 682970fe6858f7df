import type { Complex } from '../../instrument.ts'
import type { Resonator } from '../state/conditions.ts'

/** A readout pulse and the window that records it, both as the resonator sees them. */
export interface Probe {
  /** As programmed, Hz. */
  frequency: number
  amplitude: number
  /** Length of the pulse, ns. */
  duration: number
  /** The window from the arrival of the pulse, ns. */
  from: number
  to: number
}

/** Frequency of the line with the transmon in a level: the nonlinear pull of Blais et al. (2021), §IV.B. */
function resonanceOf(resonator: Resonator, level: number, amplitude: number): number {
  const pull = level === 0 ? 0 : (resonator.pulls[level - 1] ?? 0)
  const saturation = Math.sqrt(1 + (amplitude / resonator.critical_amplitude) ** 2)
  return resonator.frequency - resonator.lamb_shift + (resonator.lamb_shift + pull) / saturation
}

/**
 * The response to a probe with the transmon in one level, integrated from the arrival of the pulse to any
 * time: in volts times ns, with the phases of the line.
 */
export function responseOf(resonator: Resonator, level: number, probe: Probe): (t: number) => Complex {
  const { frequency, amplitude, duration } = probe
  // A mirrored line turns the axis around the resonance, and the signal comes back mirrored.
  const physical = resonator.isMirrored ? 2 * resonator.frequency - frequency : frequency
  const detuning = physical - resonanceOf(resonator, level, amplitude)
  const decay = { re: Math.PI * resonator.linewidth * 1e-9, im: 2 * Math.PI * detuning * 1e-9 }
  const notch = divide(polar(resonator.depth, resonator.asymmetry), {
    re: 1,
    im: (2 * detuning) / resonator.linewidth,
  })
  const path = polar(amplitude * resonator.gain, pathPhase(resonator, physical))
  const filled = (t: number) => {
    const { re, im } = minusExponential(decay, t)
    const rising = divide({ re, im }, decay)
    const inside = multiply(notch, { re: t - rising.re, im: -rising.im })
    return { re: t - inside.re, im: -inside.im }
  }
  return (t) => {
    if (t <= 0) return { re: 0, im: 0 }
    let sum = filled(Math.min(t, duration))
    if (t > duration) {
      const ringing = divide(minusExponential(decay, t - duration), decay)
      const left = multiply(multiply(notch, minusExponential(decay, duration)), ringing)
      sum = { re: sum.re - left.re, im: sum.im - left.im }
    }
    const { re, im } = multiply(path, sum)
    return { re, im: resonator.isMirrored ? -im : im }
  }
}

function pathPhase({ phase, delay }: Resonator, frequency: number): number {
  const turns = frequency * delay * 1e-9
  return phase - 2 * Math.PI * (turns - Math.floor(turns))
}

/** 1 − exp(−rate · t). */
function minusExponential(rate: Complex, t: number): Complex {
  const { re, im } = polar(Math.exp(-rate.re * t), -rate.im * t)
  return { re: 1 - re, im: -im }
}

export function polar(magnitude: number, angle: number): Complex {
  return { re: magnitude * Math.cos(angle), im: magnitude * Math.sin(angle) }
}

export function multiply(a: Complex, b: Complex): Complex {
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
}

function divide(a: Complex, b: Complex): Complex {
  const square = b.re * b.re + b.im * b.im
  return { re: (a.re * b.re + a.im * b.im) / square, im: (a.im * b.re - a.re * b.im) / square }
}
