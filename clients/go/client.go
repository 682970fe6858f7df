package svc

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"svc.example/clients/go/internal/wire"
)

// Client of one server. It is safe for any number of goroutines.
type Client struct {
	transport *transport
	waiter    *waiter
	// held is nil outside of a session that this client has started.
	held *inside
}

type options struct {
	token, profile, caFingerprint string
	session, qpu                  string
	http                          *http.Client
	retries                       Retries
}

// Option changes how a client connects.
type Option func(*options)

// WithToken sets the API token; default SVC_API_TOKEN, or that of the saved account.
func WithToken(token string) Option { return func(o *options) { o.token = token } }

// WithSession submits jobs by the secret of a session, which also reads them unless there is an API token; default
// SVC_SESSION.
func WithSession(secret string) Option { return func(o *options) { o.session = secret } }

// WithQPU is where jobs go that name no QPU; default SVC_QPU.
func WithQPU(qpu string) Option { return func(o *options) { o.qpu = qpu } }

// WithProfile chooses an account that `svc login` has saved; default SVC_PROFILE, else "default".
func WithProfile(name string) Option { return func(o *options) { o.profile = name } }

// WithCA trusts only the root certificate with this SHA-256 fingerprint, which the server prints at its start; default
// SVC_CA_FINGERPRINT with the address of SVC_ADDR. Addresses of plain HTTP are refused then.
func WithCA(fingerprint string) Option { return func(o *options) { o.caFingerprint = fingerprint } }

// WithHTTPClient sends requests with another client. Its timeout should be above 75 s: the server holds requests
// of those who wait.
func WithHTTPClient(client *http.Client) Option { return func(o *options) { o.http = client } }

// WithRetries sets how often and for how long requests are repeated.
func WithRetries(retries Retries) Option { return func(o *options) { o.retries = retries } }

// New returns a client of the server at baseURL, which may be several addresses separated by commas: the next one is
// used when one does not respond or does not lead. An empty baseURL is SVC_ADDR, or the address of the saved account.
func New(baseURL string, opts ...Option) (*Client, error) {
	var o options
	for _, each := range opts {
		each(&o)
	}
	found, err := credentialsOf(baseURL, o)
	if err != nil {
		return nil, err
	}
	list, err := newAddresses(found.address)
	if err != nil {
		return nil, err
	}
	fingerprint := firstOf(o.caFingerprint, found.caFingerprint)
	if fingerprint != "" {
		if err := list.assertEncrypted(); err != nil {
			return nil, err
		}
	}
	if o.http == nil {
		if o.http, err = newHTTPClient(fingerprint); err != nil {
			return nil, err
		}
	}
	if o.retries, err = o.retries.withDefaults(); err != nil {
		return nil, err
	}
	t := &transport{
		http: o.http, addresses: list, token: found.token, profile: found.profile, retries: o.retries, clock: systemClock,
		silence: longestSilence, session: found.session, qpu: found.qpu,
	}
	return &Client{transport: t, waiter: newWaiter(t)}, nil
}

func newHTTPClient(fingerprint string) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 20
	if fingerprint != "" {
		dialer, err := newPinnedDialer(fingerprint)
		if err != nil {
			return nil, err
		}
		transport.DialTLSContext = dialer.dial
		transport.ForceAttemptHTTP2 = false
	}
	return &http.Client{Transport: transport}, nil
}

// Close closes connections that are not in use. A client that is not used any more needs no Close.
func (c *Client) Close() { c.transport.http.CloseIdleConnections() }

// Job reads a job by its id. Without a response that is repeated, as a submission is.
func (c *Client) Job(ctx context.Context, id string) (*Job, error) {
	raw, err := c.waiter.readFirst(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.job(raw)
}

// Resume reads the job that a submission with this idempotency key has made within 24 hours, such as one whose response
// was lost: IdempotencyKey of an error, or what was passed to WithIdempotencyKey. errors.Is(err, ErrNotFound) and
// Code "unknown_key": there is no such job, it can be submitted again. With another code the server is older than this
// client and cannot tell; submit again with the same key.
func (c *Client) Resume(ctx context.Context, key string) (*Job, error) {
	raw, err := c.waiter.readOfKey(ctx, key)
	if err != nil {
		return nil, err
	}
	return c.job(raw)
}

// JobFilter says which jobs to list, newest first. Its zero value lists all jobs of the account.
type JobFilter struct {
	// Status is one or several, separated by commas.
	Status Status
	// QPU is the name or id of the QPU that ran them or will.
	QPU string
	Tag string
	// Calibration is the id of a calibration report with which they ran.
	Calibration string
	// Before is the id of a job: only those submitted before it.
	Before string
	// Limit is the number of jobs; all if 0.
	Limit int
}

const pageSize = 100

// listedWithout is what lists leave out: it may be large.
const listedWithout = "payload,results"

// Jobs lists jobs, page by page as they are used. It ends after an error.
func (c *Client) Jobs(ctx context.Context, filter JobFilter) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		query := url.Values{}
		given := map[string]string{"status": string(filter.Status), "qpu": filter.QPU, "tag": filter.Tag,
			"calibration": filter.Calibration}
		for name, value := range given {
			if value != "" {
				query.Set(name, value)
			}
		}
		last, most := filter.Before, pageSize
		for left := filter.Limit; filter.Limit == 0 || left > 0; {
			limit := most
			if filter.Limit > 0 {
				limit = min(limit, left)
			}
			query.Set("limit", strconv.Itoa(limit))
			if last != "" {
				query.Set("before", last)
			}
			var page []rawJSON
			err := c.transport.read(ctx, call{path: "/api/jobs", query: query}, listedWithout, &page)
			if errors.Is(err, ErrTooLarge) && limit > 1 {
				// A server that knows no `omit` sends programs and results.
				most = limit / 2
				continue
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, raw := range page {
				job, err := c.job(raw)
				if !yield(job, err) || err != nil {
					return
				}
				last = job.ID
			}
			if len(page) < limit {
				return
			}
			left -= limit
		}
	}
}

// JobOf is a job of which nothing is known but its id: its methods read it. With AsCompleted, hundreds of jobs are read
// with one request.
func (c *Client) JobOf(id string) *Job { return &Job{ID: id, client: c} }

// AsCompleted yields each job when it has ended, in the order of their ends. It ends after an error.
func (c *Client) AsCompleted(ctx context.Context, jobs ...*Job) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		type end struct {
			job *Job
			err error
		}
		ends := make(chan end)
		var all sync.WaitGroup
		defer all.Wait()
		defer cancel()
		for _, job := range jobs {
			all.Add(1)
			go func() {
				defer all.Done()
				done, err := job.waited(ctx)
				select {
				case ends <- end{done, err}:
				case <-ctx.Done():
				}
			}()
		}
		for range jobs {
			select {
			case next := <-ends:
				if !yield(next.job, next.err) || next.err != nil {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// QPUs lists the QPUs with their state and queue.
func (c *Client) QPUs(ctx context.Context) ([]QPU, error) {
	var list []QPU
	err := c.transport.request(ctx, call{method: http.MethodGet, path: "/api/qpus"}, &list)
	return list, err
}

// QPU reads a QPU with the description of its device.
func (c *Client) QPU(ctx context.Context, name string) (*QPUDetail, error) {
	var qpu QPUDetail
	err := c.transport.request(ctx, call{method: http.MethodGet, path: "/api/qpus/" + url.PathEscape(name)}, &qpu)
	return &qpu, err
}

// Schedule lists when QPUs are occupied.
func (c *Client) Schedule(ctx context.Context, from, to time.Time) ([]BusyTime, error) {
	query := url.Values{"from": {writeTime(from)}, "to": {writeTime(to)}}
	var schedule wire.Schedule
	err := c.transport.request(ctx, call{method: http.MethodGet, path: "/api/schedule", query: query}, &schedule)
	return schedule.Busy, err
}

// Book books a time slot of a QPU, or of any if qpu is empty. errors.Is(err, ErrConflict) if it is taken.
func (c *Client) Book(ctx context.Context, qpu string, start, end time.Time) (*Slot, error) {
	body := wire.PostBookingsBody{StartTime: writeTime(start), EndTime: writeTime(end), QPU: &qpu}
	var made wire.PostBookingsResponse
	err := c.transport.request(ctx, call{method: http.MethodPost, path: "/api/bookings", body: body}, &made)
	if err == nil && len(made.Slots) == 0 {
		err = errors.New("the server has booked no slot")
	}
	if err != nil {
		return nil, err
	}
	return &made.Slots[0], nil
}

// Me reads the account of the token, its balance and its limits.
func (c *Client) Me(ctx context.Context) (*Me, error) {
	var me Me
	err := c.transport.request(ctx, call{method: http.MethodGet, path: "/api/me"}, &me)
	return &me, err
}

// Tokens are the API tokens of the account.
func (c *Client) Tokens() *Tokens { return &Tokens{c.transport} }

// Sessions are the QPUs that are held for the account without a booking.
func (c *Client) Sessions() *Sessions { return &Sessions{c.transport} }

// Admin has what superusers do.
func (c *Client) Admin() *Admin { return &Admin{c.transport} }

// Collection has the records of a collection such as "qpus".
func (c *Client) Collection(name string) *Collection { return &Collection{c.transport, name} }

// writeTime writes a time as the server reads it, in UTC with milliseconds.
func writeTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// readTime reads a time of the server; the zero time for none.
func readTime(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05.999Z", strings.Replace(text, "T", " ", 1))
	if err != nil {
		return time.Time{}
	}
	return t
}
