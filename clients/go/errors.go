package svc

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"svc.example/clients/go/internal/wire"
)

// kind is a class of errors; errors.Is compares with it and with the wider ones.
type kind struct {
	name  string
	wider *kind
}

func (k *kind) Error() string { return k.name }

// Kinds of errors of the server, for errors.Is.
var (
	// ErrInvalid: a field, a program or a parameter is invalid; Fields says which.
	ErrInvalid error = &kind{name: "invalid request"}
	// ErrUnauthorized: the token is missing, expired or deleted.
	ErrUnauthorized error = &kind{name: "not authenticated"}
	// ErrForbidden: the account, or the scope of its token, does not allow this.
	ErrForbidden error = forbidden
	// ErrInsufficientTime: the balance of QPU seconds is used up. It is also ErrForbidden.
	ErrInsufficientTime error = &kind{name: "insufficient QPU time", wider: forbidden}
	// ErrNotFound: it does not exist, or belongs to another person.
	ErrNotFound error = &kind{name: "not found"}
	// ErrConflict: it contradicts the present state.
	ErrConflict error = conflict
	// ErrNotPending: the job runs or has ended. It is also ErrConflict.
	ErrNotPending error = &kind{name: "not pending", wider: conflict}
	// ErrTooManyPendingJobs: the account has as many pending jobs as it may have. It is also ErrConflict.
	ErrTooManyPendingJobs error = &kind{name: "too many pending jobs", wider: conflict}
	// ErrIdempotencyConflict: the key was used for another submission. It is also ErrConflict.
	ErrIdempotencyConflict error = &kind{name: "idempotency key reused", wider: conflict}
	// ErrSessionEnded: the session has ended: its time or the balance is over, a booking began, or it was ended. It is also
	// ErrConflict.
	ErrSessionEnded error = &kind{name: "session ended", wider: conflict}
	// ErrTooLarge: the request, or the page that it asks for, is larger than the server allows.
	ErrTooLarge error = &kind{name: "too large"}
	// ErrRateLimited: too many requests; RetryAfter says when to try again.
	ErrRateLimited error = &kind{name: "rate limited"}
	// ErrUnavailable: the QPU is disabled or in maintenance.
	ErrUnavailable error = &kind{name: "QPU unavailable"}
	// ErrServer: the server has failed.
	ErrServer error = &kind{name: "server error"}
)

var (
	forbidden = &kind{name: "forbidden"}
	conflict  = &kind{name: "conflict"}
)

var kindOfCode = map[string]error{
	wire.CodeInsufficientQpuSeconds: ErrInsufficientTime,
	wire.CodeQpuDisabled:            ErrUnavailable,
	wire.CodeMaintenance:            ErrUnavailable,
	wire.CodeIdempotencyKeyReused:   ErrIdempotencyConflict,
	wire.CodeNotPending:             ErrNotPending,
	wire.CodeTooManyPendingJobs:     ErrTooManyPendingJobs,
	wire.CodePageTooLarge:           ErrTooLarge,
	wire.CodeSessionEnded:           ErrSessionEnded,
	wire.CodeSessionClosed:          ErrSessionEnded,
}

var kindOfStatus = map[int]error{
	400: ErrInvalid, 401: ErrUnauthorized, 403: ErrForbidden, 404: ErrNotFound, 405: ErrInvalid, 409: ErrConflict,
	413: ErrTooLarge, 415: ErrInvalid, 422: ErrInvalid, 429: ErrRateLimited,
}

// Error is a response of the server that is no success.
type Error struct {
	Status int
	// Code is what programs decide by, such as "not_pending".
	Code    string
	Message string
	// RequestID is the id under which the log of the server has the request.
	RequestID string
	// Fields has the invalid fields by their path, such as "circuits.0.circuit".
	Fields map[string]FieldError
	// RetryAfter is the time after which the server asks to try again; 0 if it does not.
	RetryAfter time.Duration
	// IdempotencyKey is that of a submission that may have made a job although it failed: Client.Resume finds that job.
	IdempotencyKey string
}

// Error returns the message of the server.
func (e *Error) Error() string { return e.Message }

// Is reports whether the error is of a kind such as ErrNotFound.
func (e *Error) Is(target error) bool {
	wanted, ok := target.(*kind)
	if !ok {
		return false
	}
	for k, _ := e.kind().(*kind); k != nil; k = k.wider {
		if k == wanted {
			return true
		}
	}
	return false
}

func (e *Error) kind() error {
	if k, ok := kindOfCode[e.Code]; ok {
		return k
	}
	if k, ok := kindOfStatus[e.Status]; ok {
		return k
	}
	return ErrServer
}

// otherResponse is the error of a response that belongs to another request, as where processes share a connection.
func otherResponse(asked, received string) *Error {
	text := fmt.Sprintf("Asked for %s, received %s: a proxy or a shared connection mixes up responses", asked, received)
	return &Error{Status: http.StatusOK, Code: "other_response", Message: text}
}

// ConnectionError is a request without a response.
type ConnectionError struct {
	Address string
	// MaybeDone: the server may have carried out the request.
	MaybeDone bool
	// IsDefinite: repeating it does not help: no server has the name, or its certificate is not trusted.
	IsDefinite bool
	// IdempotencyKey is that of a submission that may have made a job although it failed: Client.Resume finds that job.
	IdempotencyKey string
	Err            error
}

// Error names the address and the cause.
func (e *ConnectionError) Error() string {
	text := fmt.Sprintf("no response from %s: %v", firstOf(e.Address, "the server"), e.Err)
	if e.IdempotencyKey != "" {
		text += keyHint(e.IdempotencyKey, e.MaybeDone)
	}
	return text
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// JobFailedError is the end of a job that has failed.
type JobFailedError struct{ JobID, Code, Message string }

// Error names the job and the reason.
func (e *JobFailedError) Error() string { return fmt.Sprintf("job %s failed: %s", e.JobID, e.Message) }

// JobCancelledError is the end of a job that was cancelled.
type JobCancelledError struct {
	JobID string
	// OfSession: it waited when the session ended in which it was submitted.
	OfSession bool
}

// Error names the job, and its session as the reason.
func (e *JobCancelledError) Error() string {
	if e.OfSession {
		return fmt.Sprintf("job %s was cancelled: its session has ended", e.JobID)
	}
	return fmt.Sprintf("job %s was cancelled", e.JobID)
}

// JobTimeoutError is the end of a wait whose context has expired. The job goes on.
type JobTimeoutError struct {
	JobID string
	Err   error
}

// Error names the job.
func (e *JobTimeoutError) Error() string {
	return fmt.Sprintf("job %s has not ended in time; it goes on", e.JobID)
}

// Unwrap returns the error of the context.
func (e *JobTimeoutError) Unwrap() error { return e.Err }

// isTemporary reports whether a later attempt may succeed: the network or the server has failed, rather than
// the request.
func isTemporary(err error) bool {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return !lost.IsDefinite
	}
	var answer *Error
	if !errors.As(err, &answer) || errors.Is(err, ErrUnavailable) {
		return false
	}
	return isRefused(answer.Status) || answer.Status == 500 || answer.Status == 502 || answer.Status == 504
}

// isRefused is for statuses of a server that did not carry out the request, whatever it was.
func isRefused(status int) bool { return status == 429 || status == 503 }
