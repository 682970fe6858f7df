package svc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	svc "svc.example/clients/go"
)

var bell = svc.Submission{Circuits: []svc.Circuit{{Circuit: "OPENQASM 3.0; qubit[2] q;"}}, Shots: 4}

func TestResultOfOneJobUsesARequestThatTheServerHolds(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	job := must(client.Submit(context.Background(), bell))(t)
	go func() {
		server.set(job.ID, svc.Running)
		server.set(job.ID, svc.Completed)
	}()
	result := must(job.Result(context.Background()))(t)
	if got := result.Counts(0)["11"]; got != 3 {
		t.Errorf("11 was counted %d times instead of 3", got)
	}
	if requests := server.seen("POST /api/jobs/changes"); requests > 2 {
		t.Errorf("%d requests were sent for one job", requests)
	}
	noGoroutineLeft(t, client)
}

func TestManyJobsShareRequests(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	var jobs []*svc.Job
	for range 50 {
		jobs = append(jobs, must(client.Submit(context.Background(), bell))(t))
	}
	var all sync.WaitGroup
	failures := make(chan error, len(jobs))
	for _, job := range jobs {
		all.Add(1)
		go func() {
			defer all.Done()
			_, err := job.Result(context.Background())
			failures <- err
		}()
	}
	go func() {
		for _, job := range jobs {
			server.set(job.ID, svc.Completed)
		}
	}()
	all.Wait()
	for range jobs {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	if requests := server.seen("POST /api/jobs/changes"); requests > 2*len(jobs) {
		t.Errorf("%d requests were sent for %d jobs", requests, len(jobs))
	}
	noGoroutineLeft(t, client)
}

func TestManyJobsAreReadByTheirIdsWithOneRequest(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	var jobs []*svc.Job
	for at := range 40 {
		id := fmt.Sprintf("job%012d", at)
		server.set(id, svc.Completed)
		jobs = append(jobs, client.JobOf(id))
	}
	read := 0
	for job, err := range client.AsCompleted(context.Background(), jobs...) {
		if err != nil || job.Status != svc.Completed {
			t.Fatal(job, err)
		}
		read++
	}
	if requests := server.seen("POST /api/jobs/changes"); read != 40 || requests > 4 {
		t.Errorf("%d jobs were read with %d requests", read, requests)
	}
	_, err := client.JobOf("unknown00000000").Result(context.Background())
	if !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("an unknown job is %v", err)
	}
	noGoroutineLeft(t, client)
}

func TestAServerOfAnEarlierReleaseIsAskedForEachJob(t *testing.T) {
	server := newServer(t)
	server.isOld = true
	client := server.client(t)
	for _, count := range []int{1, 3} {
		var jobs []*svc.Job
		for range count {
			jobs = append(jobs, must(client.Submit(context.Background(), bell))(t))
		}
		for _, job := range jobs {
			server.set(job.ID, svc.Completed)
		}
		for job, err := range client.AsCompleted(context.Background(), jobs...) {
			if err != nil || job.Status != svc.Completed {
				t.Fatal(job, err)
			}
		}
	}
	if requests := server.seen("POST /api/jobs/changes"); requests != 1 {
		t.Errorf("it was asked %d times for what it does not have", requests)
	}
	noGoroutineLeft(t, client)
}

func TestAsCompletedYieldsInTheOrderOfTheEnds(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	var jobs []*svc.Job
	for at := range 4 {
		id := fmt.Sprintf("job%012d", at)
		server.set(id, svc.Pending)
		jobs = append(jobs, must(client.Job(context.Background(), id))(t))
	}
	order := []string{jobs[2].ID, jobs[0].ID, jobs[3].ID, jobs[1].ID}
	server.set(order[0], svc.Completed)
	at := 0
	for job, err := range client.AsCompleted(context.Background(), jobs...) {
		if err != nil {
			t.Fatal(err)
		}
		if job.ID != order[at] {
			t.Errorf("job %d is %s instead of %s", at, job.ID, order[at])
		}
		if at++; at < len(order) {
			server.set(order[at], svc.Completed)
		}
	}
	if at != len(order) {
		t.Errorf("%d jobs instead of %d", at, len(order))
	}
	noGoroutineLeft(t, client)
}

func TestACancelledContextLeavesNoGoroutine(t *testing.T) {
	for _, jobs := range []int{1, 5} {
		t.Run(fmt.Sprintf("%d jobs", jobs), func(t *testing.T) {
			server := newServer(t)
			client := server.client(t)
			ctx, cancel := context.WithCancel(context.Background())
			ends := make(chan error)
			for range jobs {
				job := must(client.Submit(ctx, bell))(t)
				go func() {
					_, err := job.Result(ctx)
					ends <- err
				}()
			}
			cancel()
			for range jobs {
				if err := <-ends; !errors.Is(err, context.Canceled) {
					t.Errorf("the wait ended with %v", err)
				}
			}
			noGoroutineLeft(t, client)
		})
	}
}

func TestLoopsThatAreLeftEarlyLeaveNoGoroutine(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	ctx := context.Background()
	job := must(client.Submit(ctx, bell))(t)
	for range job.Watch(ctx) {
		break
	}
	for _, err := range client.Collection("quantum_jobs").Subscribe(ctx, "*", "") {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	others := []*svc.Job{job, must(client.Submit(ctx, bell))(t), must(client.Submit(ctx, bell))(t)}
	server.set(job.ID, svc.Completed)
	for range client.AsCompleted(ctx, others...) {
		break
	}
	for range client.Jobs(ctx, svc.JobFilter{}) {
		break
	}
	noGoroutineLeft(t, client)
}

func TestTheEndOfADeadlineNamesTheJob(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	job := must(client.Submit(context.Background(), bell))(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := job.Result(ctx)
	var late *svc.JobTimeoutError
	if !errors.As(err, &late) || late.JobID != job.ID || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the wait ended with %v", err)
	}
	noGoroutineLeft(t, client)
}

func TestAFailedAndACancelledJobHaveErrorsOfTheirOwn(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	job := must(client.Submit(context.Background(), bell))(t)
	server.set(job.ID, svc.Failed)
	var failed *svc.JobFailedError
	if _, err := job.Result(context.Background()); !errors.As(err, &failed) {
		t.Errorf("the result of a failed job is %v", err)
	}
	server.set(job.ID, svc.Cancelled)
	var cancelled *svc.JobCancelledError
	if _, err := job.Result(context.Background()); !errors.As(err, &cancelled) {
		t.Errorf("the result of a cancelled job is %v", err)
	}
	if _, err := client.Job(context.Background(), "unknown00000000"); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("an unknown job is %v", err)
	}
}

func TestWatchYieldsEachChange(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	job := must(client.Submit(context.Background(), bell))(t)
	next := map[svc.Status]svc.Status{svc.Pending: svc.Running, svc.Running: svc.Completed}
	var seen []svc.Status
	for job, err := range job.Watch(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, job.Status)
		if status, ok := next[job.Status]; ok {
			server.set(job.ID, status)
		}
	}
	if fmt.Sprint(seen) != "[pending running completed]" {
		t.Errorf("the states were %v", seen)
	}
	noGoroutineLeft(t, client)
}

func TestGoroutinesReadTheJobsThatTheyAskFor(t *testing.T) {
	server := newServer(t)
	client := server.client(t)
	var all sync.WaitGroup
	for range 64 {
		job := must(client.Submit(context.Background(), bell))(t)
		server.set(job.ID, svc.Completed)
		all.Add(1)
		go func() {
			defer all.Done()
			for range 20 {
				read, err := client.Job(context.Background(), job.ID)
				if err != nil || read.ID != job.ID {
					t.Errorf("asked for %s, received %v, %v", job.ID, read, err)
				}
			}
		}()
	}
	all.Wait()
}

func TestTheResponseOfAnotherRequestIsRefused(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = w.Write([]byte(`{"jobs": [{"id": "other", "status": "completed"}], "unknown": []}`))
			return
		}
		_, _ = w.Write([]byte(`{"id": "other", "status": "running"}`))
	}))
	defer other.Close()
	client := must(svc.New(other.URL, svc.WithToken("secret")))(t)
	for name, read := range map[string]func() error{
		"read": func() error { _, err := client.Job(context.Background(), "mine"); return err },
		"wait": func() error { _, err := client.JobOf("mine").Wait(context.Background()); return err },
	} {
		var answer *svc.Error
		if err := read(); !errors.As(err, &answer) || answer.Code != "other_response" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
