// Command runner is what tests and benchmarks of clients run in a process of its own; see
// tests/support/clients/runners.ts.
//
// `runner submit N` submits N jobs, ten at a time, and prints their ids. `runner wait N` submits N jobs, prints
// `waiting`, waits for all, and prints how many have completed. `runner read IDS` does the last with jobs of other processes; `runner result ID` reads
// the result of one, whose warnings go to standard error.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"

	svc "svc.example/clients/go"
)

const bell = `OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;`

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: runner submit|wait N")
	}
	client, err := svc.New("")
	if err != nil {
		log.Fatal(err)
	}
	if os.Args[1] == "result" {
		job, err := client.Job(context.Background(), os.Args[2])
		if err == nil {
			_, err = job.Result(context.Background())
		}
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	if os.Args[1] == "read" {
		read(client, strings.Split(os.Args[2], ","))
		return
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if os.Args[1] == "submit" {
		submit(client, count)
		return
	}
	wait(client, count)
}

func submitOne(client *svc.Client, at int) *svc.Job {
	job, err := client.Submit(context.Background(), svc.Submission{
		Circuits: []svc.Circuit{{Circuit: bell}}, Shots: 10, QPU: "kelvin", Name: fmt.Sprintf("job %d", at),
	})
	if err != nil {
		log.Fatal(err)
	}
	return job
}

func submit(client *svc.Client, count int) {
	numbers := make(chan int)
	var all sync.WaitGroup
	for range 10 {
		all.Add(1)
		go func() {
			defer all.Done()
			for at := range numbers {
				fmt.Println(submitOne(client, at).ID)
			}
		}()
	}
	for at := range count {
		numbers <- at
	}
	close(numbers)
	all.Wait()
}

func wait(client *svc.Client, count int) {
	jobs := make([]*svc.Job, count)
	for at := range jobs {
		jobs[at] = submitOne(client, at)
	}
	fmt.Println("waiting")
	printCompleted(client, jobs)
}

func read(client *svc.Client, ids []string) {
	jobs := make([]*svc.Job, len(ids))
	for at, id := range ids {
		jobs[at] = client.JobOf(id)
	}
	printCompleted(client, jobs)
}

func printCompleted(client *svc.Client, jobs []*svc.Job) {
	completed := 0
	for job, err := range client.AsCompleted(context.Background(), jobs...) {
		if err != nil {
			log.Fatal(err)
		}
		if job.Status == svc.Completed {
			completed++
		}
	}
	fmt.Printf("completed %d\n", completed)
}
