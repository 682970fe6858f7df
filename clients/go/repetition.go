package svc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// Retries say how often and for how long a request is repeated.
type Retries struct {
	// Tries is the number of attempts in all, without those that reach a server that stands by; default 5.
	Tries int
	// Within is the time after which no further attempt starts; default 60 s.
	Within time.Duration
	// WithoutResponse is the time for which submissions and the first reading of a job are repeated, however many
	// attempts that takes. Each attempt of a submission has the same key, so that there is one job. Default 10 minutes,
	// at most 23 hours; the context may end it earlier.
	WithoutResponse time.Duration
}

const (
	firstPause    = 200 * time.Millisecond
	maxRetryAfter = 60 * time.Second
	// maxPause is the longest pause of a submission, which is repeated for minutes.
	maxPause = 10 * time.Second
	// maxWithoutResponse is below the time for which the server keeps the keys of submissions.
	maxWithoutResponse = 23 * time.Hour
	// noticeAfter is the time after which a request without a response is mentioned.
	noticeAfter = 3 * time.Second
)

// withDefaults returns the limits, with the defaults of those that are 0.
func (r Retries) withDefaults() (Retries, error) {
	if r.Tries == 0 {
		r.Tries = 5
	}
	if r.Within == 0 {
		r.Within = time.Minute
	}
	if r.WithoutResponse == 0 {
		r.WithoutResponse = 10 * time.Minute
	}
	if r.WithoutResponse < 0 || r.WithoutResponse > maxWithoutResponse {
		return r, fmt.Errorf("Retries.WithoutResponse is %v; expected at most %v", r.WithoutResponse, maxWithoutResponse)
	}
	return r, nil
}

// clock is the time that repetitions take; tests replace it.
type clock struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

var systemClock = clock{now: time.Now, sleep: sleep}

func isRetried(err error, isRepeatable bool) bool {
	if !isTemporary(err) || isRepeatable {
		return isTemporary(err)
	}
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return !lost.MaybeDone
	}
	var answer *Error
	return errors.As(err, &answer) && isRefused(answer.Status)
}

// isFromStandby reports whether the server stands by while another one leads: it did nothing, and may lead next.
func isFromStandby(err error) bool {
	var answer *Error
	return errors.As(err, &answer) && answer.Code == "not_leader"
}

// pauseAfter is what the server asks for and up to as much again, or exponential with full jitter, so that
// clients do not return all together.
func pauseAfter(err error, attempt int) time.Duration {
	var answer *Error
	if errors.As(err, &answer) && answer.RetryAfter > 0 {
		return time.Duration(float64(min(answer.RetryAfter, maxRetryAfter)) * (1 + rand.Float64()))
	}
	return time.Duration(rand.Float64() * float64(min(maxPause, firstPause<<min(attempt, 10))))
}

// sleep returns after d, or with the error of the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// repetition is what is known of a request while it is repeated until the server has responded. Its methods are also
// those of any other request, for which it is nil.
type repetition struct {
	key       string
	maybeDone bool
	mutex     sync.Mutex
	reason    string
	notice    *time.Timer
}

// newRepetition shows on a terminal after 3 s that the request is repeated, unless SVC_PROGRESS=0.
func newRepetition(c call, address string, within time.Duration) *repetition {
	s := &repetition{reason: "No response from " + address}
	what := c.untilResponse
	if what == "" {
		s.key, what = c.key, "submission "+c.key
	}
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("SVC_PROGRESS") != "0" {
		s.notice = time.AfterFunc(noticeAfter, func() {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			fmt.Fprintf(os.Stderr, "%s. The %s is repeated for up to %v; Ctrl+C ends that\n", s.reason, what, within)
		})
	}
	return s
}

func (s *repetition) end() {
	if s.notice != nil {
		s.notice.Stop()
	}
}

// counts reports whether a failure is one of the tries. Being limited is none, nor is a server that stands by; of a
// submission, only what the server itself reports counts.
func (s *repetition) counts(err error) bool {
	if s == nil {
		return !errors.Is(err, ErrRateLimited) && !isFromStandby(err)
	}
	var answer *Error
	return errors.As(err, &answer) && answer.Status == 500 && answer.Code != ""
}

// note takes in the failure of an attempt after which there is another one.
func (s *repetition) note(err error) {
	if s == nil {
		return
	}
	s.maybeDone = s.maybeDone || isMaybeDone(err)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.reason = err.Error()
}

// givenUp is the error of the last attempt, with the key unless it says for certain that there is no job.
func (s *repetition) givenUp(err error) error {
	if s == nil || s.key == "" {
		return err
	}
	maybeDone := s.maybeDone || isMaybeDone(err)
	var lost *ConnectionError
	var answer *Error
	switch {
	case errors.As(err, &lost):
		lost.MaybeDone = maybeDone
		if !lost.IsDefinite {
			lost.IdempotencyKey = s.key
		}
	case errors.As(err, &answer):
		if isTemporary(err) || maybeDone && (answer.Status == 401 || answer.Status == 403) {
			answer.IdempotencyKey = s.key
			answer.Message += keyHint(s.key, maybeDone)
		}
	}
	return err
}

// interrupted is the error of a context that has ended before the response.
func (s *repetition) interrupted(err error) error {
	if s == nil || s.key == "" {
		return err
	}
	return &ConnectionError{MaybeDone: true, IdempotencyKey: s.key, Err: err}
}

func keyHint(key string, maybeDone bool) string {
	state := "no job was submitted"
	if maybeDone {
		state = "there may be a job"
	}
	return fmt.Sprintf("; %s, its idempotency key is %s: Client.Resume finds it", state, key)
}

func isMaybeDone(err error) bool {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return lost.MaybeDone
	}
	var answer *Error
	return errors.As(err, &answer) && (answer.Status == 500 || answer.Status == 502 || answer.Status == 504)
}
