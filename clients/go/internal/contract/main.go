// Command contract performs the calls of the contract cases: it reads {"url", "call", "args"} from each line of its
// input and writes {"returns"} or {"raises", "message"}, in the form of clients/contract/cases.json, for each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	svc "svc.example/clients/go"
)

type request struct {
	URL  string          `json:"url"`
	Call string          `json:"call"`
	Args json.RawMessage `json:"args"`
}

type answer struct {
	Returns any            `json:"returns,omitempty"`
	Raises  map[string]any `json:"raises,omitempty"`
	Message string         `json:"message,omitempty"`
}

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 64*1024*1024)
	for scanner.Scan() {
		var given request
		if err := json.Unmarshal(scanner.Bytes(), &given); err != nil {
			panic(err)
		}
		returns, err := perform(context.Background(), given)
		out := answer{Returns: returns}
		if err != nil {
			out = answer{Raises: plainError(err), Message: err.Error()}
		}
		text, err := json.Marshal(out)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}

func perform(ctx context.Context, given request) (any, error) {
	client, err := svc.New(given.URL, svc.WithToken("contract-token"))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var a args
	if err := json.Unmarshal(given.Args, &a); err != nil {
		return nil, err
	}
	make, isKnown := calls[given.Call]
	if !isKnown {
		return nil, fmt.Errorf("the contract has no call %s", given.Call)
	}
	return make(ctx, client, a)
}

// plainJob has the fields of a job as the cases have them.
func plainJob(job *svc.Job) map[string]any {
	plain := map[string]any{
		"id": job.ID, "name": job.Name, "tags": orEmpty(job.Tags), "status": job.Status, "qpu": orNull(job.QPU),
		"created": plainTime(job.Created), "started": plainTime(job.Started), "finished": plainTime(job.Finished),
		"charged_seconds": job.ChargedSeconds, "waiting": nil, "queue_position": nil, "estimated_start": nil, "error": job.Error,
		"progress": job.Progress, "recalled": nil, "disturbed_by": orNull(job.DisturbedBy), "give_up_at": plainTime(job.GiveUpAt),
	}
	if job.Waiting != nil {
		plain["waiting"] = map[string]any{"code": job.Waiting.Code, "text": job.Waiting.Text}
	}
	if job.Recalled != nil {
		plain["recalled"] = job.Recalled.Reason
	}
	if job.QueuePosition > 0 {
		plain["queue_position"] = job.QueuePosition
	}
	if job.EstimatedStart != nil {
		plain["estimated_start"] = []any{plainTime(job.EstimatedStart.From), plainTime(job.EstimatedStart.To)}
	}
	return plain
}

func plainResult(result *svc.Result) map[string]any {
	circuits := []any{}
	for _, each := range result.Circuits {
		circuit := map[string]any{
			"name": each.Name, "shots": each.Shots, "counts": each.Counts, "metadata": each.Metadata, "memory": nil, "iq": nil,
		}
		if each.Memory != nil {
			circuit["memory"] = each.Memory
		}
		if each.IQ != nil {
			circuit["iq"] = plainPoints(each.IQ)
		}
		circuits = append(circuits, circuit)
	}
	return map[string]any{"job_id": result.JobID, "device": result.Metadata["device"], "circuits": circuits}
}

// plainPoints has points as pairs: one list for an average, else one for each shot.
func plainPoints(points [][]complex128) any {
	all := make([][][2]float64, len(points))
	for at, shot := range points {
		all[at] = make([][2]float64, len(shot))
		for slot, point := range shot {
			all[at][slot] = [2]float64{real(point), imag(point)}
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// classes are the names of errors in the cases, the narrowest first.
var classes = []struct {
	err  error
	name string
}{
	{svc.ErrInsufficientTime, "InsufficientTimeError"}, {svc.ErrNotPending, "NotPendingError"},
	{svc.ErrTooManyPendingJobs, "TooManyPendingJobsError"}, {svc.ErrIdempotencyConflict, "IdempotencyConflictError"},
	{svc.ErrSessionEnded, "SessionEndedError"},
	{svc.ErrUnavailable, "QpuUnavailableError"}, {svc.ErrTooLarge, "TooLargeError"}, {svc.ErrRateLimited, "RateLimitedError"},
	{svc.ErrInvalid, "InvalidRequestError"}, {svc.ErrUnauthorized, "AuthenticationError"},
	{svc.ErrForbidden, "PermissionDeniedError"}, {svc.ErrNotFound, "NotFoundError"}, {svc.ErrConflict, "ConflictError"},
	{svc.ErrServer, "ServerError"},
}

func plainError(err error) map[string]any {
	var failure *svc.Error
	var lost *svc.ConnectionError
	var failed *svc.JobFailedError
	var cancelled *svc.JobCancelledError
	var timeout *svc.JobTimeoutError
	switch {
	case errors.As(err, &failure):
		plain := map[string]any{
			"status": failure.Status, "code": failure.Code, "request_id": failure.RequestID, "fields": failure.Fields,
		}
		if failure.Fields == nil {
			plain["fields"] = map[string]any{}
		}
		if failure.RetryAfter > 0 {
			plain["retry_after"] = failure.RetryAfter.Seconds()
		}
		for _, class := range classes {
			if errors.Is(err, class.err) {
				plain["error"] = class.name
				break
			}
		}
		return plain
	case errors.As(err, &lost):
		return map[string]any{"error": "ConnectionLostError", "maybe_done": lost.MaybeDone}
	case errors.As(err, &failed):
		return map[string]any{"error": "JobFailedError", "job_id": failed.JobID, "code": failed.Code}
	case errors.As(err, &cancelled):
		return map[string]any{"error": "JobCancelledError", "job_id": cancelled.JobID}
	case errors.As(err, &timeout):
		return map[string]any{"error": "JobTimeoutError", "job_id": timeout.JobID}
	}
	// What the language has for a wrong argument.
	return map[string]any{"error": "RangeError"}
}

func plainTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
