package svc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Status of a job.
type Status string

// The states of a job. It does not leave the last three.
const (
	Pending   Status = "pending"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

func (s Status) hasEnded() bool { return s == Completed || s == Failed || s == Cancelled }

// positionPause is the time between two readings of the position in the queue and of the progress.
const positionPause = 5 * time.Second

// Job is a job as it was when it was read. Methods that read it again return a new one.
type Job struct {
	ID, Name string
	Tags     []string
	Status   Status
	// QPU is the id of the QPU that runs or ran it, or else of the requested one; empty if there is none.
	QPU string
	// Created, Started and Finished are zero as long as that has not happened.
	Created, Started, Finished time.Time
	// ChargedSeconds is nil before the charge.
	ChargedSeconds *float64
	// Waiting says why it waits, while it is pending.
	Waiting *Waiting
	// QueuePosition is 1 for the next job, 0 if it does not wait.
	QueuePosition int
	// EstimatedStart is nil if the server has no estimate.
	EstimatedStart *Estimate
	// Estimate is what was expected of it at its submission; nil where the server does not say.
	Estimate *JobEstimate
	// Progress is the part that its last attempt has done, from 0 to 1; 0 if the device does not report it.
	Progress float64
	// Error says why it has failed.
	Error *JobError
	// Timeline has what has happened to it.
	Timeline []Step
	// Calibration has the report and the device file that were in force when its last attempt began and when it ended;
	// nil if that is not known, and in lists.
	Calibration *Calibration
	// Recalled says why its result is not to be relied on; nil if it was not recalled, and in lists.
	Recalled *RecallMark
	// DisturbedBy is the report of a calibration that ran on the QPU while the job did; empty if there was none, and in
	// lists.
	DisturbedBy string
	// GiveUpAt is when it fails if it still waits; zero if never, and in lists.
	GiveUpAt time.Time
	// Raw is the whole response of the server.
	Raw json.RawMessage

	client *Client
}

// Estimate is a range of time.
type Estimate struct{ From, To time.Time }

func (c *Client) job(raw rawJSON) (*Job, error) {
	var read JobWire
	if err := json.Unmarshal(raw, &read); err != nil {
		return nil, fmt.Errorf("a job is not as expected: %w", err)
	}
	job := &Job{
		ID: read.ID, Name: read.Name, Tags: read.Tags, Status: Status(read.Status), QPU: firstOf(read.QPU, read.QPUTarget),
		Created: readTime(read.Created), Started: readTime(read.StartedAt), Finished: readTime(read.FinishedAt),
		ChargedSeconds: read.ChargedSeconds, Waiting: read.Waiting, Error: read.Error, Timeline: read.Timeline,
		Calibration: read.Calibration, Estimate: read.Estimate, Progress: read.Progress, Recalled: read.Recalled,
		Raw: raw, client: c,
	}
	if read.DisturbedBy != nil {
		job.DisturbedBy = *read.DisturbedBy
	}
	if read.GiveUpAt != nil {
		job.GiveUpAt = readTime(*read.GiveUpAt)
	}
	if read.QueuePosition != nil {
		job.QueuePosition = int(*read.QueuePosition)
	}
	if read.EstimatedStart != nil {
		job.EstimatedStart = &Estimate{readTime(read.EstimatedStart.From), readTime(read.EstimatedStart.To)}
	}
	return job, nil
}

// String returns the id.
func (j *Job) String() string { return j.ID }

// Done reports whether the job has ended.
func (j *Job) Done() bool { return j.Status.hasEnded() }

// Refresh reads the job again.
func (j *Job) Refresh(ctx context.Context) (*Job, error) { return j.client.Job(ctx, j.ID) }

// Cancel cancels the job while it is pending; errors.Is(err, ErrNotPending) afterwards.
func (j *Job) Cancel(ctx context.Context) (*Job, error) {
	var raw rawJSON
	path := "/api/jobs/" + url.PathEscape(j.ID) + "/cancel"
	err := j.client.transport.request(ctx, call{method: http.MethodPost, path: path, isRepeatable: true}, &raw)
	if err != nil {
		return nil, err
	}
	return j.with(raw)
}

// with is the job with what was read of it without its details; why it waits belongs to the moment.
func (j *Job) with(raw rawJSON) (*Job, error) {
	merged := map[string]json.RawMessage{}
	for _, each := range [][]byte{j.Raw, raw} {
		for _, name := range []string{"waiting", "queue_position", "estimated_start"} {
			delete(merged, name)
		}
		if err := json.Unmarshal(each, &merged); err != nil && len(each) > 0 {
			return nil, fmt.Errorf("a job is not as expected: %w", err)
		}
	}
	whole, err := json.Marshal(merged)
	if err != nil {
		return nil, err
	}
	return j.client.job(whole)
}

// Wait waits until the job has ended, also when it failed, and returns it as it is then. Only the context ends the
// wait: lost connections and restarts of the server do not. When its deadline has passed, the error is a
// *JobTimeoutError, and the job goes on.
func (j *Job) Wait(ctx context.Context) (*Job, error) {
	done, err := j.waited(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &JobTimeoutError{JobID: j.ID, Err: err}
	}
	return done, err
}

func (j *Job) waited(ctx context.Context) (*Job, error) {
	status := j.Status
	if j.Done() {
		var known struct{ Results json.RawMessage }
		if json.Unmarshal(j.Raw, &known) == nil && len(known.Results) > 0 {
			return j, nil
		}
		// A job of a list or of a cancellation has no results: it is read again.
		status = ""
	}
	for {
		raw, err := j.client.waiter.next(ctx, j.ID, status)
		if err != nil {
			return nil, err
		}
		current, err := j.client.job(raw)
		if err != nil || current.Done() {
			return current, err
		}
		status = current.Status
	}
}

// Result waits as Wait does and returns the results; slog has a warning if they were recalled. The error of a job without results is a *JobFailedError or a
// *JobCancelledError.
func (j *Job) Result(ctx context.Context) (*Result, error) {
	done, err := j.Wait(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case done.Status == Cancelled:
		return nil, &JobCancelledError{JobID: j.ID, OfSession: slices.ContainsFunc(done.Timeline, isEndOfSession)}
	case done.Status == Failed && done.Error != nil:
		return nil, &JobFailedError{JobID: j.ID, Code: done.Error.Code, Message: done.Error.Message}
	case done.Status == Failed:
		return nil, &JobFailedError{JobID: j.ID, Message: "unknown reason"}
	}
	if done.Recalled != nil {
		slog.Warn("the result was recalled", "job", j.ID, "reason", done.Recalled.Reason)
	}
	return newResult(j.ID, done.Raw)
}

func isEndOfSession(step Step) bool { return step.Detail == "session_ended" }

// PartialResults are the results of circuits that have ended of a job that has not completed.
type PartialResults struct {
	// Attempt is the attempt that they belong to.
	Attempt int
	// Progress is the part of the job that this attempt has done, from 0 to 1.
	Progress float64
	// Complete says that the job has completed: Result returns all results, and there are none here.
	Complete bool
	// Circuits has them by their positions in the results of the whole job.
	Circuits map[int]CircuitResult
}

// PartialResults reads the results of circuits that have ended, without waiting: of a job that runs, has failed or waits
// for another attempt. There are none of a job with one circuit, and from servers of an earlier release.
func (j *Job) PartialResults(ctx context.Context) (*PartialResults, error) {
	var read struct {
		Attempt  int
		Progress float64
		Complete bool
		Results  []struct {
			Index  int
			Result circuitWire
		}
	}
	path := "/api/jobs/" + url.PathEscape(j.ID) + "/partial-results"
	if err := j.client.transport.request(ctx, call{method: http.MethodGet, path: path}, &read); err != nil {
		return nil, err
	}
	found := &PartialResults{read.Attempt, read.Progress, read.Complete, make(map[int]CircuitResult, len(read.Results))}
	for _, each := range read.Results {
		circuit, err := circuitOf(each.Result)
		if err != nil {
			return nil, fmt.Errorf("the results of job %s are not as expected: %w", j.ID, err)
		}
		found.Circuits[each.Index] = circuit
	}
	return found, nil
}

// Watch yields the job now and at each change of its status, position, estimate or progress, until it has ended. It ends after
// an error.
func (j *Job) Watch(ctx context.Context) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		current, err := j.Refresh(ctx)
		if !yield(current, err) || err != nil {
			return
		}
		for !current.Done() {
			next, err := current.change(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if next.described() != current.described() && !yield(next, nil) {
				return
			}
			current = next
		}
	}
}

// change returns the job with another status, or after a while as it is.
func (j *Job) change(ctx context.Context) (*Job, error) {
	limited, cancel := context.WithTimeout(ctx, positionPause)
	defer cancel()
	raw, err := j.client.waiter.next(limited, j.ID, j.Status)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		raw, err = j.client.waiter.read(ctx, j.ID, nil)
		if isTemporary(err) {
			// A reading that fails for the moment decides nothing: the wait goes on.
			return j, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return j.client.job(raw)
}

func (j *Job) described() string {
	text := ""
	if j.Waiting != nil {
		text = j.Waiting.Text
	}
	return fmt.Sprint(j.Status, j.Progress, text, j.QueuePosition, j.EstimatedStart)
}
