/**
 * Path of the longest T1 of a qubit that a run has seen, s, from which its waits follow: T1 falls for an hour
 * now and then, and a wait of four times the short one is too short afterwards.
 */
export const SETTLING_T1 = 'settling.t1'

/** Path of T2* as Ramsey fringes of the run have shown it, s, before its own measurement. */
export const ROUGH_T2_STAR = 'rough.t2_star'

/** Readout of a qubit at its point of largest magnitude. */
export const READOUT = [
  'clock_freqs.readout',
  'measure.pulse_amp',
  'measure.pulse_duration',
  'measure.integration_time',
]

/** What a qubit may have beside that. */
export const READOUT_PRIORS = ['measure.acq_delay', 'reset.duration', 'coherence.t1', SETTLING_T1]

/** Calibrated pulses of a qubit, with its readout. */
export const DRIVEN = ['clock_freqs.f01', 'rxy.amp180', 'rxy.duration', ...READOUT]

export const DRIVE_PRIORS = ['rxy.motzoi', 'rxy.beta', 'fine.amp90', ...READOUT_PRIORS]

/** Calibrated pulses between states 1 and 2 as well. */
export const DRIVEN_12 = [...DRIVEN, 'clock_freqs.f12', 'r12.ef_amp180']

export const DRIVE_12_PRIORS = [...DRIVE_PRIORS, 'r12.ef_motzoi', 'r12.ef_duration']
