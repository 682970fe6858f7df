package svc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"svc.example/clients/go/internal/wire"
)

const (
	// sessionSeconds is how long a session lasts after its first activation, unless it is said.
	sessionSeconds = 3600
	// sessionHeld is how long the server holds a request, in s; proxies may end quiet connections after 60 s.
	sessionHeld = 30
	// endWithin is the time in which a session has to be ended after the context.
	endWithin = 10 * time.Second
)

// Sessions are the QPUs that are held for the account without a booking.
type Sessions struct{ transport *transport }

// SessionOptions say how a session is started. Its zero value is an exclusive session of an hour.
type SessionOptions struct {
	// Seconds is how long it lasts after its first activation; 3600 if 0.
	Seconds int
	// IdleSeconds: without a job for so long, it is paused and others run; 60 if 0.
	IdleSeconds int
	// Mode is "exclusive": only jobs of the account run, and the time is charged; or "batch": they go first, and each is
	// charged.
	Mode string
	// Holder is what holds it, such as a batch job, and when that ends.
	Holder *SessionHolder
	// IdempotencyKey is a key of your own: starts with the same key are one.
	IdempotencyKey string
}

// Start opens a session, or joins the open one of the same QPU and mode; repeated without harm, because it has a key. Its
// Secret is in this response only: New with WithSession submits jobs by it. errors.Is(err, ErrConflict) with a Code such
// as "session_open", or ErrNotFound with "no_sessions" if the server is older than this client.
func (s *Sessions) Start(ctx context.Context, qpu string, o SessionOptions) (*StartedSession, error) {
	body := wire.PostSessionsBody{QPUTarget: qpu, Seconds: int64(o.Seconds), Holder: o.Holder}
	if o.Seconds == 0 {
		body.Seconds = sessionSeconds
	}
	if o.IdleSeconds != 0 {
		idle := int64(o.IdleSeconds)
		body.IdleSeconds = &idle
	}
	if o.Mode != "" {
		body.Mode = &o.Mode
	}
	start := call{
		method: http.MethodPost, path: "/api/sessions", body: body, key: firstOf(o.IdempotencyKey, newKey()),
		untilResponse: "start of a session on QPU " + qpu,
	}
	var made StartedSession
	err := s.transport.request(ctx, start, &made)
	if errors.Is(err, ErrNotFound) {
		return nil, s.explained(ctx, err)
	}
	return &made, err
}

// List lists sessions, newest first, of one state and QPU unless they are empty; superusers read those of all.
func (s *Sessions) List(ctx context.Context, state, qpu string, limit int) ([]Session, error) {
	query := url.Values{}
	for name, value := range map[string]string{"state": state, "qpu": qpu} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	var list []Session
	err := s.transport.request(ctx, call{method: http.MethodGet, path: "/api/sessions", query: query}, &list)
	return list, err
}

// Get reads a session.
func (s *Sessions) Get(ctx context.Context, id string) (*Session, error) {
	return s.send(ctx, call{method: http.MethodGet, path: sessionPath(id)})
}

// Extend changes how long a session lasts after its first activation; errors.Is(err, ErrSessionEnded) if it has ended.
func (s *Sessions) Extend(ctx context.Context, id string, seconds int) (*Session, error) {
	body := map[string]int{"seconds": seconds}
	return s.send(ctx, call{method: http.MethodPatch, path: sessionPath(id), body: body, isRepeatable: true})
}

// End ends a session, or with a holder, as of its start, leaves one that others have joined, as a batch job leaves that of
// its SVC_SESSION; the running job ends first. The reason is that of a superuser, for its user.
func (s *Sessions) End(ctx context.Context, id, holder, reason string) (*Session, error) {
	query := url.Values{}
	for name, value := range map[string]string{"holder": holder, "reason": reason} {
		if value != "" {
			query.Set(name, value)
		}
	}
	end := call{method: http.MethodDelete, path: sessionPath(id), query: query}
	if secret := s.transport.session; secret != "" && holder == "" && reason == "" {
		own := end
		own.token = secret
		session, err := s.send(ctx, own)
		// Else it is the secret of another session.
		if !errors.Is(err, ErrUnauthorized) && !errors.Is(err, ErrNotFound) {
			return session, err
		}
	}
	return s.send(ctx, end)
}

// Wait waits until a session is active, or paused only because no job came. Only the context ends the wait: lost
// connections and restarts of the server do not. errors.Is(err, ErrSessionEnded) if it has ended.
func (s *Sessions) Wait(ctx context.Context, id string) (*Session, error) { return s.wait(ctx, id, "") }

// wait is Wait by a secret, by which the server knows that a program waits.
func (s *Sessions) wait(ctx context.Context, id, secret string) (*Session, error) {
	session, err := s.Get(ctx, id)
	for failures := 0; ; {
		switch {
		case err == nil:
			if isReady, err := ready(session); isReady || err != nil {
				return session, err
			}
			failures = 0
		case ctx.Err() != nil || !isTemporary(err):
			return nil, err
		default:
			failures++
			if err := s.transport.clock.sleep(ctx, pauseAfter(err, failures)); err != nil {
				return nil, err
			}
		}
		query := url.Values{"wait": {strconv.Itoa(sessionHeld)}}
		if session != nil {
			query.Set("state", session.State)
		}
		var next *Session
		held := call{method: http.MethodGet, path: sessionPath(id), query: query, token: secret, isOnce: true}
		if next, err = s.send(ctx, held); err == nil {
			session = next
		}
	}
}

// ofSecret reads the session that a secret belongs to, which is on the QPU unless that is empty.
func (s *Sessions) ofSecret(ctx context.Context, secret, qpu string) (*Session, error) {
	var list []Session
	err := s.transport.request(ctx, call{method: http.MethodGet, path: "/api/sessions", token: secret}, &list)
	if err != nil {
		return nil, err
	}
	if qpu != "" && qpu != list[0].QPU && qpu != list[0].QPUTarget {
		return nil, fmt.Errorf("SVC_SESSION is a session on QPU %s, not on %s", list[0].QPUTarget, qpu)
	}
	return &list[0], nil
}

// explained is the error of a start, which says so if the server is older than sessions.
func (s *Sessions) explained(ctx context.Context, err error) error {
	var answer *Error
	if _, listed := s.List(ctx, "", "", 0); !errors.Is(listed, ErrNotFound) || !errors.As(listed, &answer) {
		return err
	}
	answer.Code = "no_sessions"
	answer.Message += ": this server has no sessions, it is older than this client"
	return answer
}

func (s *Sessions) send(ctx context.Context, c call) (*Session, error) {
	var session Session
	if err := s.transport.request(ctx, c, &session); err != nil {
		return nil, err
	}
	return &session, nil
}

func sessionPath(id string) string { return "/api/sessions/" + url.PathEscape(id) }

var sessionEnds = map[string]string{
	"expired": "its time is over", "ended": "it was ended", "booking": "a booking of another user began",
	"balance": "the balance of QPU seconds is used up",
}

// ready reports whether jobs may run, now or as soon as there are some; an error if the session has ended.
func ready(s *Session) (bool, error) {
	if s.State != "closed" {
		return s.State == "active" || s.PausedBy == "idle", nil
	}
	text := fmt.Sprintf("Session %s on QPU %s has ended: %s", s.ID, s.QPUTarget, firstOf(sessionEnds[s.End], s.End))
	return false, &Error{Status: http.StatusConflict, Code: wire.CodeSessionEnded, Message: text}
}

// inside are the jobs of a client that were submitted in a session.
type inside struct {
	mutex sync.Mutex
	jobs  map[string]bool
}

func (h *inside) add(id string) {
	if h == nil {
		return
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.jobs[id] = true
}

// Session holds a QPU while use runs: it starts a session, or joins the open one of the account, and waits until it is
// active. Between the jobs of the client that use receives, no others start; they go to this QPU, and are refused when the
// session has ended. Afterwards it waits for the jobs that were submitted, and ends the session; after an error of use it
// ends it immediately, and what still waits is cancelled. In a batch job with SVC_SESSION it is that session, which does
// not end here. An empty qpu is SVC_QPU.
func (c *Client) Session(
	ctx context.Context, qpu string, o SessionOptions, use func(ctx context.Context, held *Client) error,
) error {
	sessions, t := c.Sessions(), c.transport
	if t.session != "" {
		given, err := sessions.ofSecret(ctx, t.session, qpu)
		if err == nil {
			_, err = sessions.Wait(ctx, given.ID)
		}
		if err != nil {
			return err
		}
		return use(ctx, c)
	}
	if qpu = firstOf(qpu, t.qpu); qpu == "" {
		return errors.New("no QPU: pass its name, or set SVC_QPU")
	}
	holder, awaited := SessionHolder{}, true
	if o.Holder != nil {
		holder = *o.Holder
	}
	holder.Awaited = &awaited
	o.Holder = &holder
	started, err := sessions.Start(ctx, qpu, o)
	if err != nil {
		return err
	}
	defer func() {
		// The context of the program may be what has ended.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
		defer cancel()
		if _, err := sessions.End(ctx, started.ID, started.Holder, ""); err != nil {
			slog.Warn("a session was not ended, and lasts on", "session", started.ID, "qpu", qpu, "error", err)
		}
	}()
	if _, err := sessions.wait(ctx, started.ID, started.Secret); err != nil {
		return err
	}
	own := c.inSession(started.Secret)
	if err := use(ctx, own); err != nil {
		return err
	}
	return own.finish(ctx, started.QPU)
}

// inSession is a client with the same connections, whose submissions are in a session.
func (c *Client) inSession(secret string) *Client {
	t := c.transport
	own := &transport{
		http: t.http, addresses: t.addresses, token: t.token, profile: t.profile, retries: t.retries, clock: t.clock,
		silence: t.silence, session: secret,
	}
	return &Client{transport: own, waiter: newWaiter(own), held: &inside{jobs: map[string]bool{}}}
}

// finish waits for the jobs of a session: those that wait at its end are cancelled.
func (c *Client) finish(ctx context.Context, qpu string) error {
	if len(c.held.jobs) == 0 {
		return nil
	}
	var left []*Job
	for job, err := range c.Jobs(ctx, JobFilter{Status: Pending + "," + Running, QPU: qpu}) {
		if err != nil {
			return err
		}
		if c.held.jobs[job.ID] {
			left = append(left, job)
		}
	}
	for _, err := range c.AsCompleted(ctx, left...) {
		if err != nil {
			return err
		}
	}
	return nil
}
