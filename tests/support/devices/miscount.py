"""The device of `miscount.ts` in Python."""

import re

from svc_driver import ProcessDevice, counts_result, job_results


class Miscount(ProcessDevice):
    def run(self, job, io):
        said = {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", job.payload["circuits"][0]["circuit"])}
        results = []
        for execution in job.executions():
            counts = {"0" * said.get("width", 2): execution.shots + said.get("extra", 0)}
            one = counts_result(execution, counts, discarded_shots=said.get("discarded", 0))
            results += [one] * said.get("results", 1)
        return job_results("Miscount", results)
