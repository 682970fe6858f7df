"""A device that does nothing: each shot of each circuit has the outcome 0."""

from svc_driver import ProcessDevice, counts_result


class Echo(ProcessDevice):
    def run(self, job, io):
        for execution in job.executions():
            yield counts_result(execution, {0: execution.shots})
