/** Kinds of events that a webhook may receive. */
export const KINDS = [
  { id: 'job.ended', text: 'One of my jobs has ended', forSuperusers: false },
  { id: 'qpu.changed', text: 'A QPU went online or offline, or into maintenance', forSuperusers: true },
  { id: 'threshold.breached', text: 'A reading exceeded its limit', forSuperusers: true },
  { id: 'threshold.cleared', text: 'A reading is within its limit again', forSuperusers: true },
  { id: 'service.breached', text: 'A figure of the service is beyond its limit', forSuperusers: true },
  { id: 'service.cleared', text: 'A figure of the service is within its limit again', forSuperusers: true },
  { id: 'calibration.ended', text: 'A calibration has ended', forSuperusers: true },
] as const
