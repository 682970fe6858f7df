/** A program that submits a Bell pair and prints its counts, in one of the clients. */
interface FirstProgram {
  id: string
  title: string
  /** How the client is installed; empty where nothing is to be installed. */
  install: string
  code: string
}

const BELL = `OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q;
bit[2] c;
h q[0];
cx q[0], q[1];
c = measure q;`

/** What every program reads its server and its API token from. */
export function environmentOf(origin: string, token: string): string {
  return `export SVC_ADDR=${origin}\nexport SVC_API_TOKEN=${token}`
}

/** The clients in order; each program reads the variables of `environmentOf` and runs as it is shown. */
export const FIRST_PROGRAMS: readonly FirstProgram[] = [
  {
    id: 'python',
    title: 'Python',
    install: 'npm ci && npm run clients && pip install clients/python/dist/*.whl  # in a checkout of svc',
    code: `from svc_client import SvcClient

bell = """
${BELL}
"""
job = SvcClient().submit_job(bell, shots=1000)
print(job.result().counts())`,
  },
  {
    id: 'qiskit',
    title: 'Qiskit',
    install:
      'npm ci && npm run clients && pip install clients/python/dist/*.whl qiskit  # in a checkout of svc',
    code: `from qiskit import QuantumCircuit, transpile
from svc_client import SvcClient

svc = SvcClient()
backend = svc.get_backend(svc.qpus()[0].name)
bell = QuantumCircuit(2)
bell.h(0)
bell.cx(0, 1)
bell.measure_all()
job = backend.run(transpile(bell, backend), shots=1000)
print(job.result().get_counts())`,
  },
  {
    id: 'javascript',
    title: 'JavaScript',
    install: 'npm pack ./clients/js && npm install ./svc-client-*.tgz  # in a checkout of svc, after npm ci',
    code: `import { SvcClient } from '@svc/client'

const bell = \`
${BELL}
\`
const job = await new SvcClient().submitJob({ circuits: [bell], shots: 1000 })
console.log((await job.result()).counts())`,
  },
  {
    id: 'go',
    title: 'Go',
    install: 'go mod init first && go get svc.example/clients/go  # see Use the Go client',
    code: `package main

import (
	"context"
	"fmt"
	"log"

	svc "svc.example/clients/go"
)

const bell = \`
${BELL}
\`

func main() {
	client, err := svc.New("")
	if err != nil {
		log.Fatal(err)
	}
	submission := svc.Submission{Circuits: []svc.Circuit{{Circuit: bell}}, Shots: 1000}
	result, err := client.Run(context.Background(), submission)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Counts(0))
}`,
  },
  {
    id: 'svc',
    title: 'Command line',
    install: '',
    code: `cat > bell.qasm <<'END'
${BELL}
END
svc submit bell.qasm --shots 1000 --wait`,
  },
  {
    id: 'curl',
    title: 'curl',
    install: '',
    code: `id=$(curl -s "$SVC_ADDR/api/jobs" -H "X-API-Token: $SVC_API_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"shots": 1000, "circuit": ${JSON.stringify(BELL.replaceAll('\n', ' '))}}' | sed -n 's/.*"id": *"\\([a-z0-9]\\{15\\}\\)".*/\\1/p')
curl -s "$SVC_ADDR/api/jobs/$id?wait=60&fields=id,status,results.counts" -H "X-API-Token: $SVC_API_TOKEN"`,
  },
]
