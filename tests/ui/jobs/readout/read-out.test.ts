import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { job } from '../../../../ui/api/model/jobs.ts'
import { ownDiscriminator } from '../../../../ui/jobs/readout/read-out.ts'

test('ownDiscriminator() is that of the job where its device measured signals, which a simulator does not', () => {
  const of = (payload: object, metadata: object) =>
    ownDiscriminator(
      v.parse(job, { id: 'j', status: 'completed', payload, results: { circuit_results: [{ metadata }] } }),
      0,
    )
  const given = { acq_rotation: 30, acq_threshold: 0.01 }
  expect(of(given, { memory_unit: 'V' })).toEqual({ rotation: 30, threshold: 0.01 })
  expect(of(given, { seed: 3 })).toBeUndefined()
  expect(of({ acq_threshold: 0.01 }, { memory_unit: 'V' })).toBeUndefined()
})
