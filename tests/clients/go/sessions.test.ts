import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasGo, openGoModule, runGo } from '../../support/clients/go.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { BELL } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(300_000)

const PROGRAM = `package main

import (
	"context"
	"fmt"
	"os"
	"time"

	svc "svc.example/clients/go"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	bell := svc.Submission{Circuits: []svc.Circuit{{Circuit: ${JSON.stringify(BELL)}}}, Shots: 5}
	client, err := svc.New("")
	check(err)
	other, err := svc.New("", svc.WithToken(os.Getenv("OTHER_TOKEN")))
	check(err)
	var foreign, last *svc.Job
	check(client.Session(ctx, "kelvin", svc.SessionOptions{Seconds: 300}, func(ctx context.Context, held *svc.Client) error {
		there := bell
		there.QPU = "kelvin"
		foreign, err = other.Submit(ctx, there)
		check(err)
		for range 5 {
			_, err := held.Run(ctx, bell)
			check(err)
			foreign, err = foreign.Refresh(ctx)
			check(err)
			fmt.Println(foreign.Status, foreign.Waiting.Code)
		}
		last, err = held.Submit(ctx, bell)
		return err
	}))
	last, err = last.Refresh(ctx)
	check(err)
	fmt.Println(last.Status, *last.ChargedSeconds)
	foreign, err = foreign.Wait(ctx)
	check(err)
	fmt.Println(foreign.Status)
}
`

const { service, user } = await openFileService()
service.startDriver('kelvin', await service.createQpu('kelvin'), 'mock')
await service.untilOnline('kelvin')
const second = await service.createUser(1_000, 'second@example.org')

async function tokenOf({ token }: { token: string }): Promise<string> {
  return (await service.call<{ token: string }>('POST', '/api/tokens', { token, body: {} })).body.token
}

test.skipIf(!hasGo)('jobs of others wait while a program in Go holds the QPU', async () => {
  using folder = temporaryFolder()
  const { app, env } = await openGoModule(folder.path)
  writeFileSync(join(app, 'main.go'), PROGRAM)
  const [own, other] = [await tokenOf(user), await tokenOf(second)]
  const account = { SVC_ADDR: service.url, SVC_API_TOKEN: own, OTHER_TOKEN: other }
  const out = await runGo(['run', '.'], { cwd: app, env: { ...env, ...account } })
  expect(out).toBe(`${'pending in_session\n'.repeat(5)}completed 0\ncompleted\n`)
})
