package svc

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"svc.example/clients/go/internal/wire"
)

const (
	compressedFrom = 64 * 1024
	// longestSilence is the time after which a response is lost of which nothing comes; the server holds a request for up
	// to 60 s.
	longestSilence = 75 * time.Second
)

// transport sends requests: credentials, repetition, time limits and errors. One for all parts of a client.
type transport struct {
	http      *http.Client
	addresses *addresses
	token     string
	profile   string
	// session is the secret by which jobs are submitted, and qpu where those go that name none.
	session, qpu string
	retries      Retries
	clock        clock
	silence      time.Duration
	// refusesOmit: the server is of a build that refuses `omit`.
	refusesOmit atomic.Bool
}

// call is one request.
type call struct {
	method, path string
	query        url.Values
	body         any
	// key is the idempotency key; with one, the request may reach the server twice without harm. A submission is
	// repeated until the server has responded.
	key          string
	isRepeatable bool
	accept       string
	// untilResponse is what is repeated until the server has responded, for people.
	untilResponse string
	// token is another one than that of the client.
	token string
	// isOnce: who makes the request repeats it.
	isOnce bool
}

// request sends a call, again where that is safe, and decodes the JSON of its response into result, if that is
// not nil.
func (t *transport) request(ctx context.Context, c call, result any) error {
	var repeated *repetition
	within := t.retries.Within
	if c.key != "" || c.untilResponse != "" {
		within = t.retries.WithoutResponse
		repeated = newRepetition(c, t.addresses.current(), within)
		defer repeated.end()
	}
	end := t.clock.now().Add(within)
	isRepeatable := c.isRepeatable || c.key != "" || c.method == http.MethodGet || c.method == http.MethodDelete
	failures := 0
	for attempt := 1; ; attempt++ {
		err := t.once(ctx, c, result)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return repeated.interrupted(ctx.Err())
		}
		if repeated.counts(err) {
			failures++
		}
		pause := pauseAfter(err, attempt)
		if isFromStandby(err) && attempt < len(t.addresses.all) {
			pause = 0
		}
		if c.isOnce || failures >= t.retries.Tries || !isRetried(err, isRepeatable) || t.clock.now().Add(pause).After(end) {
			return repeated.givenUp(err)
		}
		repeated.note(err)
		if err := t.clock.sleep(ctx, pause); err != nil {
			return repeated.interrupted(err)
		}
	}
}

// read sends a reading without the fields of omit; with them where the server knows no `omit`.
func (t *transport) read(ctx context.Context, c call, omit string, result any) error {
	c.method = http.MethodGet
	if !t.refusesOmit.Load() {
		less := c
		less.query = maps.Clone(c.query)
		if less.query == nil {
			less.query = url.Values{}
		}
		less.query.Set("omit", omit)
		err := t.request(ctx, less, result)
		var answer *Error
		if !errors.As(err, &answer) || answer.Status != http.StatusBadRequest {
			return err
		}
		if _, isRefused := answer.Fields["omit"]; !isRefused {
			return err
		}
		t.refusesOmit.Store(true)
	}
	return t.request(ctx, c, result)
}

// withID are paths with the id that their response has.
var withID = regexp.MustCompile(`^/api/(?:jobs|op/jobs|tokens|sessions|collections/[^/]+/records)/([^/]+)`)

// assertOwn refuses the content of a response that is that of another request, as from a shared connection.
func assertOwn(path string, text []byte) error {
	asked := withID.FindStringSubmatch(path)
	if asked == nil || asked[1] == "by-key" || asked[1] == "changes" {
		return nil
	}
	var content struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(text, &content) == nil && content.ID != "" && url.PathEscape(content.ID) != asked[1] {
		return otherResponse(path, content.ID)
	}
	return nil
}

// once sends a call and reads its response.
func (t *transport) once(ctx context.Context, c call, result any) error {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(t.silence, func() { cancel(fmt.Errorf("nothing came for %v", t.silence)) })
	defer timer.Stop()
	address := t.addresses.current()
	response, err := t.send(limited, address, c)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(&partReader{response.Body, func() { timer.Reset(t.silence) }})
	if err != nil {
		return t.lost(address, err)
	}
	if result == nil || len(text) == 0 {
		return nil
	}
	if err := assertOwn(c.path, text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, result); err != nil {
		return fmt.Errorf("the response of %s %s is not as expected: %w", c.method, c.path, err)
	}
	return nil
}

// partReader calls onPart whenever a part of a body has come.
type partReader struct {
	io.Reader
	onPart func()
}

func (r *partReader) Read(into []byte) (int, error) {
	count, err := r.Reader.Read(into)
	r.onPart()
	return count, err
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
	if token := firstOf(c.token, t.token); token != "" {
		warnOfPlainHTTP(address)
		request.Header.Set("Authorization", "Bearer "+token)
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
		return nil, t.lost(address, err)
	}
	t.addresses.reach(address)
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return response, nil
	}
	defer response.Body.Close()
	failure := errorOf(response)
	if isFromStandby(failure) {
		t.addresses.leave(address, false)
	}
	if failure.Status == http.StatusUnauthorized {
		failure.Message = t.unauthorizedText(address)
	}
	return nil, failure
}

func (t *transport) unauthorizedText(address string) string {
	switch {
	case t.profile != "":
		return fmt.Sprintf("The token of profile %s is not valid; run: svc login %s --profile %s", t.profile, address, t.profile)
	case t.token != "" && t.token == t.session:
		return "The secret of a session submits and reads jobs only, until 24 hours after its end; this request needs an API token"
	case t.token != "":
		return "The API token is not valid: it is wrong, has expired or was deleted; run: svc login " + address
	}
	return "There is no API token: use WithToken, set SVC_API_TOKEN, or sign in; run: svc login " + address
}

// lost is the error of a request without a response, and goes on with the next address.
func (t *transport) lost(address string, err error) error {
	isWrong := isDefinite(err)
	maybeDone := !isWrong && !isUnsent(err)
	if maybeDone {
		t.addresses.reach(address)
	}
	return &ConnectionError{
		Address: address, MaybeDone: maybeDone, IsDefinite: t.addresses.leave(address, isWrong), Err: err,
	}
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
	var early *notEstablishedError
	return errors.As(err, &early) || errors.As(err, &name) || errors.As(err, &network) && network.Op == "dial"
}

// isDefinite is for connections that are not established for a reason that lasts: no server has the name, or its
// certificate is not trusted.
func isDefinite(err error) bool {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var pin *pinError
	return errors.As(err, &name) && name.IsNotFound && !name.IsTemporary || errors.As(err, &certificate) ||
		errors.As(err, &record) || errors.As(err, &pin)
}
