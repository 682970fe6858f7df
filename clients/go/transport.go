package svc

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"svc.example/clients/go/internal/wire"
)

// Retries say how often and for how long a request is repeated.
type Retries struct {
	// Tries is the number of attempts in all; default 5.
	Tries int
	// Within is the time after which no further attempt starts; default 60 s.
	Within time.Duration
}

const (
	compressedFrom = 64 * 1024
	firstPause     = 200 * time.Millisecond
	maxPause       = 60 * time.Second
	// responseTime is the limit for one response; the server holds a request for up to 60 s.
	responseTime = 75 * time.Second
)

// transport sends requests: credentials, repetition, time limits and errors. One for all parts of a client.
type transport struct {
	http      *http.Client
	addresses *addresses
	token     string
	profile   string
	retries   Retries
}

// call is one request.
type call struct {
	method, path string
	query        url.Values
	body         any
	// key is the idempotency key; with one, the request may reach the server twice without harm.
	key          string
	isRepeatable bool
	accept       string
}

// request sends a call, again where that is safe, and decodes the JSON of its response into result, if that is
// not nil.
func (t *transport) request(ctx context.Context, c call, result any) error {
	end := time.Now().Add(t.retries.Within)
	isRepeatable := c.isRepeatable || c.key != "" || c.method == http.MethodGet || c.method == http.MethodDelete
	for attempt := 1; ; {
		err := t.once(ctx, c, result)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		pause := pauseAfter(err, attempt)
		if attempt >= t.retries.Tries || !isRetried(err, isRepeatable) || time.Now().Add(pause).After(end) {
			return err
		}
		// A limit is no failure: only the time ends the attempts.
		if !errors.Is(err, ErrRateLimited) {
			attempt++
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// once sends a call and reads its response.
func (t *transport) once(ctx context.Context, c call, result any) error {
	limited, cancel := context.WithTimeout(ctx, responseTime)
	defer cancel()
	address := t.addresses.current()
	response, err := t.send(limited, address, c)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.addresses.leave(address)
		return &ConnectionError{Address: address, MaybeDone: true, Err: err}
	}
	if result == nil || len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, result); err != nil {
		return fmt.Errorf("the response of %s %s is not as expected: %w", c.method, c.path, err)
	}
	return nil
}

// send returns the response to a call; its body is the caller's to close. A response that is no success is an
// *Error, and none is a *ConnectionError.
func (t *transport) send(ctx context.Context, address string, c call) (*http.Response, error) {
	target := address + c.path
	if len(c.query) > 0 {
		target += "?" + c.query.Encode()
	}
	body, isCompressed, err := encode(c.body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, c.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if t.token != "" {
		warnOfPlainHTTP(address)
		request.Header.Set("Authorization", "Bearer "+t.token)
	}
	if c.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if isCompressed {
		request.Header.Set("Content-Encoding", "gzip")
	}
	if c.key != "" {
		request.Header.Set("Idempotency-Key", c.key)
	}
	if c.accept != "" {
		request.Header.Set("Accept", c.accept)
	}
	response, err := t.http.Do(request)
	if err != nil {
		t.addresses.leave(address)
		return nil, &ConnectionError{Address: address, MaybeDone: !isUnsent(err), Err: err}
	}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return response, nil
	}
	defer response.Body.Close()
	failure := errorOf(response)
	if failure.Status == http.StatusUnauthorized && t.profile != "" {
		failure.Message = fmt.Sprintf("The token of profile %s is not valid; run: svc login %s --profile %s", t.profile, address, t.profile)
	}
	return nil, failure
}

func encode(body any) (text []byte, isCompressed bool, err error) {
	if body == nil {
		return nil, false, nil
	}
	text, err = json.Marshal(body)
	if err != nil || len(text) <= compressedFrom {
		return text, false, err
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(text); err != nil {
		return nil, false, err
	}
	if err := writer.Close(); err != nil {
		return nil, false, err
	}
	return packed.Bytes(), true, nil
}

func errorOf(response *http.Response) *Error {
	text, _ := io.ReadAll(response.Body)
	failure := &Error{
		Status: response.StatusCode,
		// Proxies in front of the server respond with pages of their own.
		Message:   "The server responded " + response.Status,
		RequestID: response.Header.Get("X-Request-Id"),
	}
	var body wire.Error
	if json.Unmarshal(text, &body) == nil {
		failure.Code, failure.Fields = body.Code, body.Data
		failure.Message = firstOf(body.Message, failure.Message)
		failure.RequestID = firstOf(body.RequestID, failure.RequestID)
	}
	if seconds, err := strconv.ParseFloat(response.Header.Get("Retry-After"), 64); err == nil {
		failure.RetryAfter = time.Duration(seconds * float64(time.Second))
	}
	return failure
}

// isUnsent is for connections that were not established.
func isUnsent(err error) bool {
	var network *net.OpError
	var name *net.DNSError
	return errors.As(err, &name) || errors.As(err, &network) && network.Op == "dial"
}

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

// pauseAfter is what the server asks for and up to as much again, or exponential with full jitter, so that
// clients do not return all at once.
func pauseAfter(err error, attempt int) time.Duration {
	var answer *Error
	if errors.As(err, &answer) && answer.RetryAfter > 0 {
		return time.Duration(float64(min(answer.RetryAfter, maxPause)) * (1 + rand.Float64()))
	}
	return time.Duration(rand.Float64() * float64(firstPause) * float64(int(1)<<attempt))
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
