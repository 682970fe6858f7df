package svc

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// streamFrom is the number of awaited jobs from which one event stream replaces a waiting request for each.
	streamFrom = 3
	// heldSeconds is how long the server holds a request; proxies may end quiet connections after 60 s.
	heldSeconds = 30
	// syncPause is the longest time between two readings of all awaited jobs beside the stream.
	syncPause = 30 * time.Second
	firstSync = 2 * time.Second
	// soonPause is the time in which jobs that begin to be awaited share a reading of the list.
	soonPause     = 50 * time.Millisecond
	listEvery     = time.Second
	longestBackup = 10 * time.Second
	activePage    = 1_000
)

// awaitedFields are all but the program, which does not change.
var awaitedFields = strings.Join([]string{
	"id", "name", "tags", "status", "qpu", "qpu_target", "shots", "attempt", "held", "error", "results", "created",
	"started_at", "finished_at", "duration", "charged_seconds", "timeline", "waiting", "queue_position",
	"estimated_start", "user_id",
}, ",")

// awaited is a job that somebody waits for.
type awaited struct {
	id     string
	status Status
	wake   chan struct{}
}

// waiter waits for jobs: with requests that the server holds, or for many jobs with one event stream. The stream and
// the list of active jobs only say which job to read; what counts is the reading, so that no end is missed. Failures
// of the network and of the server never end a wait.
type waiter struct {
	transport *transport
	mutex     sync.Mutex
	awaited   map[*awaited]struct{}
	// stop ends the stream and the list; nil while there is none.
	stop context.CancelFunc
	// soon asks for a reading of the list.
	soon chan struct{}
}

// read reads a job as it is.
func (w *waiter) read(ctx context.Context, id string, query url.Values) (rawJSON, error) {
	if query == nil {
		query = url.Values{}
	}
	query.Set("fields", awaitedFields)
	var raw rawJSON
	err := w.transport.request(ctx, call{method: http.MethodGet, path: "/api/jobs/" + url.PathEscape(id), query: query}, &raw)
	return raw, err
}

// readOfKey reads the job that was submitted with an idempotency key.
func (w *waiter) readOfKey(ctx context.Context, key string) (rawJSON, error) {
	var raw rawJSON
	path := "/api/jobs/by-key/" + url.PathEscape(key)
	query := url.Values{"fields": {awaitedFields}}
	err := w.transport.request(ctx, call{method: http.MethodGet, path: path, query: query}, &raw)
	return raw, err
}

// next returns the job once its status is another one than status.
func (w *waiter) next(ctx context.Context, id string, status Status) (rawJSON, error) {
	for failures := 0; ; {
		raw, err := w.look(ctx, id, status)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			var found struct{ Status Status }
			if err := json.Unmarshal(raw, &found); err != nil {
				return nil, fmt.Errorf("a job is not as expected: %w", err)
			}
			if found.Status != status {
				return raw, nil
			}
			failures = 0
			continue
		}
		if !isTemporary(err) {
			return nil, err
		}
		failures++
		if err := backOff(ctx, failures); err != nil {
			return nil, err
		}
	}
}

func (w *waiter) look(ctx context.Context, id string, status Status) (rawJSON, error) {
	entry := &awaited{id: id, status: status, wake: make(chan struct{}, 1)}
	isMany := w.add(entry)
	defer w.remove(entry)
	if !isMany {
		return w.read(ctx, id, url.Values{"wait": {strconv.Itoa(heldSeconds)}, "status": {string(status)}})
	}
	select {
	case <-entry.wake:
		return w.read(ctx, id, nil)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// add notes an awaited job, and starts the stream if there are many.
func (w *waiter) add(entry *awaited) (isMany bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.awaited[entry] = struct{}{}
	if len(w.awaited) < streamFrom {
		return false
	}
	if w.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		w.stop = cancel
		w.soon = make(chan struct{}, 1)
		go w.stream(ctx)
		go w.list(ctx, w.soon)
	}
	// The job may have changed since it was read.
	select {
	case w.soon <- struct{}{}:
	default:
	}
	return true
}

func (w *waiter) remove(entry *awaited) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.awaited, entry)
	if len(w.awaited) == 0 && w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// stream wakes those whose job has changed, as the events say; after each new connection, all that may have.
func (w *waiter) stream(ctx context.Context) {
	query, _ := json.Marshal(map[string]any{"query": map[string]string{"fields": "id,status"}})
	topic := "quantum_jobs/*?options=" + url.QueryEscape(string(query))
	for failures := 1; ctx.Err() == nil; failures++ {
		// Without a stream, which the server may refuse, the list of active jobs remains.
		_ = w.transport.follow(ctx, []string{topic}, func(change *Change) error {
			failures = 0
			if change == nil {
				return w.wakeEnded(ctx)
			}
			var record struct {
				ID     string
				Status Status
			}
			if json.Unmarshal(change.Record, &record) == nil {
				w.wakeIf(func(each *awaited) bool { return each.id == record.ID && each.status != record.Status })
			}
			return nil
		})
		_ = backOff(ctx, failures)
	}
}

// list wakes those whose job has ended: soon after more jobs are awaited, and at growing intervals.
func (w *waiter) list(ctx context.Context, soon <-chan struct{}) {
	var last time.Time
	for pause := firstSync; ctx.Err() == nil; pause = min(pause*3/2, syncPause) {
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-soon:
			_ = sleep(ctx, max(soonPause, listEvery-time.Since(last)))
		}
		timer.Stop()
		last = time.Now()
		_ = w.wakeEnded(ctx)
	}
}

// wakeEnded wakes those whose job is not active with the status that they know: one request for a thousand jobs.
func (w *waiter) wakeEnded(ctx context.Context) error {
	active := map[string]Status{}
	query := url.Values{"status": {"pending,running"}, "fields": {"id,status"}, "limit": {strconv.Itoa(activePage)}}
	known := w.all()
	for {
		var page []struct {
			ID     string
			Status Status
		}
		err := w.transport.request(ctx, call{method: http.MethodGet, path: "/api/jobs", query: query}, &page)
		if err != nil {
			return err
		}
		for _, job := range page {
			active[job.ID] = job.Status
		}
		if len(page) < activePage {
			break
		}
		query.Set("before", page[len(page)-1].ID)
	}
	w.wakeIf(func(each *awaited) bool { return known[each] && active[each.id] != each.status })
	return nil
}

func (w *waiter) all() map[*awaited]bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	all := make(map[*awaited]bool, len(w.awaited))
	for each := range w.awaited {
		all[each] = true
	}
	return all
}

func (w *waiter) wakeIf(has func(*awaited) bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for each := range w.awaited {
		if !has(each) {
			continue
		}
		select {
		case each.wake <- struct{}{}:
		default:
		}
	}
}

// backOff sleeps for up to 1, 2, 4, … 10 s.
func backOff(ctx context.Context, failures int) error {
	limit := min(longestBackup, 500*time.Millisecond<<min(failures, 10))
	return sleep(ctx, time.Duration(rand.Float64()*float64(limit)))
}
