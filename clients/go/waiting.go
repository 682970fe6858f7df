package svc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	// maxAsked is the number of jobs of one request; the server takes no more.
	maxAsked = 500
	// heldFor is how long the server holds a request; proxies may end quiet connections after 60 s.
	heldFor = 30 * time.Second
	// heldBriefly is the same for a request beside another one, and for one of several that ask for different jobs in
	// turn.
	heldBriefly = 2 * time.Second
	// maxHeld is the number of requests on their way from which jobs that nobody has asked for yet wait for one to end.
	maxHeld       = 4
	longestBackup = 10 * time.Second
	// firstPoll and lastPoll are pauses where a server responds immediately although asked to wait.
	firstPoll = 100 * time.Millisecond
	lastPoll  = 2 * time.Second
	// oldFor is the time after which the route for many jobs is asked again: a 404 may come from a proxy.
	oldFor = time.Minute
)

// awaitedWithout is the program, which does not change.
const awaitedWithout = "payload"

// awaited is a job that is waited for.
type awaited struct {
	id string
	// status as it is known; empty if the job is to be read in any case.
	status Status
	// read gets the job once, or why it cannot be read.
	read chan reading
	// wasCovered: a request has asked for it before.
	wasCovered bool
}

type reading struct {
	raw rawJSON
	err error
}

// held is a request on its way.
type held struct {
	jobs  map[*awaited]struct{}
	limit time.Duration
	stop  context.CancelFunc
}

// waiter waits with requests for many jobs that the server holds until one of them changes. All who wait share
// requests. Failures of the network and of the server never end a wait.
type waiter struct {
	transport *transport
	mutex     sync.Mutex
	// left are the jobs that no request asks for now.
	left      map[*awaited]struct{}
	held      map[*held]struct{}
	isPlanned bool
	failures  int
	early     int
	// oldUntil is until when the server counts as older than this client, which responds for one job at a time.
	oldUntil time.Time
}

func newWaiter(t *transport) *waiter {
	return &waiter{transport: t, left: map[*awaited]struct{}{}, held: map[*held]struct{}{}}
}

// read reads a job as it is.
func (w *waiter) read(ctx context.Context, id string, query url.Values) (rawJSON, error) {
	return w.get(ctx, "/api/jobs/"+url.PathEscape(id), query, "")
}

// readFirst reads a job of which nothing is known yet; repeated for as long as a submission.
func (w *waiter) readFirst(ctx context.Context, id string) (rawJSON, error) {
	return w.get(ctx, "/api/jobs/"+url.PathEscape(id), nil, "job "+id)
}

// readOfKey reads the job that was submitted with an idempotency key, as readFirst.
func (w *waiter) readOfKey(ctx context.Context, key string) (rawJSON, error) {
	return w.get(ctx, "/api/jobs/by-key/"+url.PathEscape(key), nil, "key "+key)
}

func (w *waiter) get(ctx context.Context, path string, query url.Values, untilResponse string) (rawJSON, error) {
	var raw rawJSON
	err := w.transport.read(ctx, call{path: path, query: query, untilResponse: untilResponse}, awaitedWithout, &raw)
	return raw, err
}

// next returns the job once its status is another one than status, immediately if that is empty.
func (w *waiter) next(ctx context.Context, id string, status Status) (rawJSON, error) {
	entry := &awaited{id: id, status: status, read: make(chan reading, 1)}
	w.mutex.Lock()
	w.left[entry] = struct{}{}
	w.mutex.Unlock()
	w.plan()
	select {
	case found := <-entry.read:
		return found.raw, found.err
	case <-ctx.Done():
		w.leave(entry)
		return nil, ctx.Err()
	}
}

func (w *waiter) leave(entry *awaited) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.left, entry)
	for each := range w.held {
		delete(each.jobs, entry)
		if len(each.jobs) == 0 {
			each.stop()
		}
	}
}

// plan asks for what no request asks for, once all who begin to wait together are there.
func (w *waiter) plan() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.isPlanned || len(w.left) == 0 {
		return
	}
	w.isPlanned = true
	time.AfterFunc(time.Millisecond, func() {
		if next := w.cover(); next != nil {
			w.hold(next)
		}
	})
}

// cover makes a request of jobs that no other one asks for; nil if one that is on its way ends soon.
func (w *waiter) cover() *request {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.isPlanned = false
	isNew, isShort := false, false
	for each := range w.left {
		isNew = isNew || !each.wasCovered
	}
	for each := range w.held {
		isShort = isShort || each.limit < heldFor
	}
	if len(w.left) == 0 || (isNew && len(w.held) >= maxHeld) || (!isNew && isShort) {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	next := &held{jobs: map[*awaited]struct{}{}, limit: heldFor, stop: cancel}
	known := map[string]Status{}
	for each := range w.left {
		if len(next.jobs) == maxAsked {
			break
		}
		delete(w.left, each)
		each.wasCovered = true
		next.jobs[each] = struct{}{}
		if other, isKnown := known[each.id]; isKnown && other != each.status {
			// What two callers know differently is read.
			known[each.id] = ""
		} else {
			known[each.id] = each.status
		}
	}
	if len(w.held) > 0 || len(w.left) > 0 {
		next.limit = heldBriefly
	}
	w.held[next] = struct{}{}
	return &request{held: next, ctx: ctx, known: known}
}

// request is what one request asks for.
type request struct {
	*held
	ctx   context.Context
	known map[string]Status
}

// hold sends a request, gives the news to those who wait for them, and plans the next one.
func (w *waiter) hold(r *request) {
	defer r.stop()
	started := time.Now()
	changed, unknown, err := w.changes(r.ctx, r.known, r.limit)
	pause := time.Duration(0)
	switch {
	case err == nil:
		w.give(r, changed)
		pause = w.pauseIfEarly(len(changed)+len(unknown), time.Since(started))
		for _, id := range unknown {
			if err := w.refuse(r, id); err != nil {
				pause = w.pauseAfter(err)
			}
		}
	case r.ctx.Err() != nil:
	case isTemporary(err):
		pause = w.pauseAfter(err)
	default:
		w.refuseAll(r, err)
	}
	_ = sleep(r.ctx, pause)
	w.mutex.Lock()
	delete(w.held, r.held)
	for each := range r.jobs {
		w.left[each] = struct{}{}
	}
	w.mutex.Unlock()
	w.plan()
}

func (w *waiter) pauseIfEarly(news int, took time.Duration) time.Duration {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.failures = 0
	if news > 0 || took >= firstPoll {
		w.early = 0
		return 0
	}
	w.early++
	return min(lastPoll, firstPoll<<min(w.early-1, 10))
}

func (w *waiter) pauseAfter(err error) time.Duration {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.failures++
	limit := min(longestBackup, 250*time.Millisecond<<min(w.failures-1, 10))
	pause := time.Duration(rand.Float64() * float64(limit))
	var answer *Error
	if errors.As(err, &answer) {
		pause = max(pause, answer.RetryAfter)
	}
	return pause
}

// give ends the waits of jobs that have changed.
func (w *waiter) give(r *request, changed map[string]changedJob) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for each := range r.jobs {
		if found, isNew := changed[each.id]; isNew && found.status != each.status {
			delete(r.jobs, each)
			each.read <- reading{raw: found.raw}
		}
	}
}

// refuse ends the waits of a job that does not exist for the account, with what the server says of it.
func (w *waiter) refuse(r *request, id string) error {
	_, err := w.read(r.ctx, id, nil)
	if err == nil || r.ctx.Err() != nil || isTemporary(err) {
		return err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for each := range r.jobs {
		if each.id == id {
			delete(r.jobs, each)
			each.read <- reading{err: err}
		}
	}
	return nil
}

func (w *waiter) refuseAll(r *request, err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for each := range r.jobs {
		delete(r.jobs, each)
		each.read <- reading{err: err}
	}
}

type changedJob struct {
	status Status
	raw    rawJSON
}

func changedOf(raw rawJSON) (string, changedJob, error) {
	var found struct {
		ID     string
		Status Status
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		return "", changedJob{}, fmt.Errorf("a job is not as expected: %w", err)
	}
	return found.ID, changedJob{status: found.Status, raw: raw}, nil
}

func (w *waiter) isOld() bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.transport.clock.now().Before(w.oldUntil)
}

// changes returns the jobs that have another status than the known one, as soon as there is one, and those that do not
// exist.
func (w *waiter) changes(ctx context.Context, known map[string]Status, limit time.Duration) (map[string]changedJob, []string, error) {
	type knownJob struct {
		ID     string `json:"id"`
		Status Status `json:"status"`
	}
	if w.isOld() {
		return w.changesOfEach(ctx, known, limit)
	}
	list := make([]knownJob, 0, len(known))
	for id, status := range known {
		list = append(list, knownJob{id, status})
	}
	var found struct {
		Jobs    []rawJSON
		Unknown []string
	}
	body := map[string]any{"known": list, "wait": limit.Seconds()}
	err := w.transport.request(ctx, call{
		method: http.MethodPost, path: "/api/jobs/changes", body: body, isRepeatable: true, isOnce: true,
	}, &found)
	var answer *Error
	if errors.As(err, &answer) && (answer.Status == http.StatusNotFound || answer.Status == http.StatusMethodNotAllowed) {
		w.mutex.Lock()
		w.oldUntil = w.transport.clock.now().Add(oldFor)
		w.mutex.Unlock()
		return w.changesOfEach(ctx, known, limit)
	}
	if err != nil {
		return nil, nil, err
	}
	changed := make(map[string]changedJob, len(found.Jobs))
	for _, raw := range found.Jobs {
		id, job, err := changedOf(raw)
		if err != nil {
			return nil, nil, err
		}
		changed[id] = job
	}
	for _, id := range append(slices.Collect(maps.Keys(changed)), found.Unknown...) {
		if _, isAsked := known[id]; !isAsked {
			return nil, nil, otherResponse("the changes of jobs", id)
		}
	}
	return changed, found.Unknown, nil
}

// changesOfEach does the same with a server of an earlier release.
func (w *waiter) changesOfEach(ctx context.Context, known map[string]Status, limit time.Duration) (map[string]changedJob, []string, error) {
	changed, unknown := map[string]changedJob{}, []string(nil)
	for id, status := range known {
		query := url.Values{}
		if len(known) == 1 && status != "" {
			query = url.Values{"wait": {strconv.Itoa(int(limit.Seconds()))}, "status": {string(status)}}
		}
		raw, err := w.read(ctx, id, query)
		if errors.Is(err, ErrNotFound) {
			unknown = append(unknown, id)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		_, job, err := changedOf(raw)
		if err != nil {
			return nil, nil, err
		}
		if job.status != status {
			changed[id] = job
		}
	}
	if len(changed)+len(unknown) > 0 || len(known) == 1 {
		return changed, unknown, nil
	}
	return changed, unknown, sleep(ctx, heldBriefly)
}

// backOff sleeps for up to 1, 2, 4, … 10 s.
func backOff(ctx context.Context, failures int) error {
	limit := min(longestBackup, 500*time.Millisecond<<min(failures, 10))
	return sleep(ctx, time.Duration(rand.Float64()*float64(limit)))
}
