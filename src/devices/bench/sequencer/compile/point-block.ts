import { ProgramError } from '../../../pulse/check-program.ts'
import { type Instruction, instruction } from '../loops/instruction.ts'
import { OWN_REGISTERS } from '../loops/write-nodes.ts'
import { ACQUISITION_SPACING_NS, DURATION_NS, STEPS_PER_HERTZ, STEPS_PER_TURN } from '../sequence.ts'
import type { Step } from './steps.ts'

/** Time from the reset of the phase of all oscillators to the start of the schedule, ns. */
const PHASE_RESET_NS = DURATION_NS.min
/** More waits than this in a row become a loop. */
const MAX_WAITS = 3

/** The time before each repetition: that of the reset, or the least that a sequencer takes, ns. */
export function pauseOf(resetNs: number): number {
  if (resetNs <= PHASE_RESET_NS) return PHASE_RESET_NS
  return Math.max(resetNs, PHASE_RESET_NS + DURATION_NS.min)
}

/** Bins of the acquisitions of a block: numbers, or the register that counts them. */
type BinOf = (acquisition: number) => number | typeof OWN_REGISTERS.bin

interface Block {
  /** ns between two repetitions, before the schedule; at least that of the reset of the phase. */
  resetNs: number
  duration: number
  /** In the order of time. */
  steps: readonly Step[]
  binOf: BinOf
  /** Path of the schedule, for messages. */
  path: string
}

/**
 * The instructions by which one sequencer plays one schedule: a wait for the qubits to return to equilibrium,
 * a reset of the phase, and the steps at their times. All sequencers take equally long.
 * @throws ProgramError for steps that are closer than the sequencer can play them.
 */
export function blockOf({ resetNs, duration, steps, binOf, path }: Block): Instruction[] {
  const { ncoSteps, phaseSteps, firstTone } = oscillator(steps)
  const block = waits(pauseOf(resetNs) - PHASE_RESET_NS)
  if (firstTone !== undefined) block.push(instruction('set_freq', ncoSteps(firstTone)))
  block.push(instruction('reset_ph'))
  const starts = [-PHASE_RESET_NS, ...steps.map(({ at }) => at)]
  const gapAfter = (index: number) => (starts[index + 1] ?? duration) - (starts[index] ?? 0)
  block.push(...timed(instruction('upd_param'), gapAfter(0), path))
  const changed = changesOnly()
  let acquisitions = 0
  let nextAcquisition = Number.NEGATIVE_INFINITY
  for (const [index, step] of steps.entries()) {
    block.push(...phaseSteps(step), ...changed(step.settings))
    const gap = gapAfter(index + 1)
    if (step.instruction !== 'acquire') block.push(...timed(step.instruction, gap, path))
    else {
      if (step.at < nextAcquisition) {
        throw new ProgramError(
          path,
          `acquisitions of a qubit start at least ${ACQUISITION_SPACING_NS} ns apart`,
        )
      }
      nextAcquisition = step.at + ACQUISITION_SPACING_NS
      const bin = binOf(acquisitions++)
      const [acquire, ...rest] = timed(instruction('acquire', 0, bin), gap, path)
      if (acquire) block.push(acquire)
      // The next instruction would read the register too early.
      if (bin === OWN_REGISTERS.bin) block.push(instruction('add', bin, 1, bin), instruction('nop'))
      block.push(...rest)
    }
  }
  return block
}

/**
 * The frequency and phase of the oscillator over a schedule. It runs on when its frequency changes, so the
 * relative phase makes up for what it has turned at other frequencies: carriers of one frequency are
 * coherent.
 */
function oscillator(steps: readonly Step[]) {
  const ncoSteps = (hz: number) => Math.round(hz * STEPS_PER_HERTZ)
  const firstTone = steps.find(({ tone }) => tone)?.tone?.hz
  let [hz, turned, since] = [firstTone ?? 0, 0, -PHASE_RESET_NS]
  let phase = 0
  function phaseSteps({ at, tone }: Step): Instruction[] {
    if (!tone) return []
    turned += (hz * (at - since)) / 1e9
    since = at
    const settings = tone.hz === hz ? [] : [instruction('set_freq', ncoSteps(tone.hz))]
    hz = tone.hz
    const turns = (hz * at) / 1e9 + tone.phase / (2 * Math.PI) - turned
    const wanted = Math.round((turns - Math.floor(turns)) * STEPS_PER_TURN) % STEPS_PER_TURN
    if (wanted !== phase) settings.push(instruction('set_ph', wanted))
    phase = wanted
    return settings
  }
  return { ncoSteps, phaseSteps, firstTone }
}

/** Drops settings that are in force since an earlier step, because instructions are few. */
function changesOnly(): (settings: readonly Instruction[]) => Instruction[] {
  const inForce = new Map<string, string>()
  return (settings) =>
    settings.filter(({ name, operands }) => {
      const value = operands.join(',')
      if (inForce.get(name) === value) return false
      inForce.set(name, value)
      return true
    })
}

/** An instruction that lasts `gap` ns, followed by waits when one instruction cannot last that long. */
function timed({ name, operands }: Instruction, gap: number, path: string): Instruction[] {
  const { min, max } = DURATION_NS
  if (gap < min)
    throw new ProgramError(path, `two steps of a port are ${gap} ns apart; at least ${min} are needed`)
  const lasting = (ns: number) => instruction(name, ...operands, ns)
  return gap <= max ? [lasting(gap)] : [lasting(min), ...waits(gap - min)]
}

/** Waits of together `ns`, which is 0 or at least 4. */
function waits(ns: number): Instruction[] {
  const { min, max } = DURATION_NS
  // The rest after whole waits is long enough for a wait of its own.
  const longest = max - min
  const whole = ns <= max ? 0 : Math.floor((ns - min) / longest)
  const rest = ns - whole * longest
  const last = rest === 0 ? [] : [instruction('wait', rest)]
  if (whole > MAX_WAITS) return [{ ...instruction('wait', longest), times: whole }, ...last]
  return [...Array<Instruction>(whole).fill(instruction('wait', longest)), ...last]
}
