package svc_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	svc "svc.example/clients/go"
)

// server is a stand-in with jobs, requests that it holds, and an event stream.
type server struct {
	*httptest.Server
	mutex sync.Mutex
	jobs  map[string]svc.Status
	// changed is closed, and made anew, with each change of a job.
	changed chan struct{}
	// order has the ids of the jobs in the order of their changes.
	order []string
	// requests counts requests by method and path.
	requests map[string]int
	// isOld: it responds for one job at a time.
	isOld bool
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{jobs: map[string]svc.Status{}, changed: make(chan struct{}), requests: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/jobs", s.submit)
	mux.HandleFunc("POST /api/jobs/changes", s.changes)
	mux.HandleFunc("GET /api/jobs", s.list)
	mux.HandleFunc("GET /api/jobs/{id}", s.read)
	mux.HandleFunc("GET /api/realtime", s.stream)
	mux.HandleFunc("POST /api/realtime", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mutex.Lock()
		s.requests[r.Method+" "+r.URL.Path]++
		s.mutex.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *server) client(t *testing.T) *svc.Client {
	t.Helper()
	client, err := svc.New(s.URL, svc.WithToken("secret"))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// seen is the number of requests to a path.
func (s *server) seen(request string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.requests[request]
}

// set changes the status of a job, or makes one.
func (s *server) set(id string, status svc.Status) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.jobs[id] = status
	s.order = append(s.order, id)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *server) status(id string) (svc.Status, chan struct{}) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.jobs[id], s.changed
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func jobBody(id string, status svc.Status) map[string]any {
	body := map[string]any{"id": id, "status": status, "created": "2026-11-23 07:20:20.123Z"}
	if status == svc.Completed {
		body["results"] = map[string]any{"circuit_results": []any{map[string]any{
			"shots": 4, "counts": map[string]int{"00": 1, "11": 3},
			"header": map[string]any{"memory_slots": 2, "creg_sizes": []any{[]any{"c", 2}}},
		}}}
	}
	return body
}

func (s *server) submit(w http.ResponseWriter, r *http.Request) {
	id := fmt.Sprintf("job%012s", strings.ReplaceAll(r.Header.Get("Idempotency-Key"), "-", "")[:12])
	s.set(id, svc.Pending)
	respond(w, http.StatusOK, jobBody(id, svc.Pending))
}

func (s *server) list(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []any{}
	for id, status := range s.jobs {
		if status == svc.Pending || status == svc.Running {
			list = append(list, jobBody(id, status))
		}
	}
	respond(w, http.StatusOK, list)
}

func (s *server) read(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	known := svc.Status(r.URL.Query().Get("status"))
	for {
		status, changed := s.status(id)
		if status == "" {
			respond(w, http.StatusNotFound, map[string]any{"code": "not_found", "message": "There is no job " + id})
			return
		}
		if r.URL.Query().Get("wait") == "" || status != known {
			respond(w, http.StatusOK, jobBody(id, status))
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *server) changes(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Known []struct {
			ID     string
			Status svc.Status
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || s.isOld {
		respond(w, http.StatusNotFound, map[string]any{"code": "not_found", "message": "There is no such route"})
		return
	}
	for {
		jobs, unknown := []any{}, []string{}
		_, changed := s.status("")
		for _, each := range body.Known {
			switch status, _ := s.status(each.ID); status {
			case "":
				unknown = append(unknown, each.ID)
			case each.Status:
			default:
				jobs = append(jobs, jobBody(each.ID, status))
			}
		}
		if len(jobs)+len(unknown) > 0 {
			respond(w, http.StatusOK, map[string]any{"jobs": jobs, "unknown": unknown})
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event, data string) {
		fmt.Fprintf(w, ": a comment\nevent: %s\ndata: %s\n\n", event, data)
		w.(http.Flusher).Flush()
	}
	send("PB_CONNECT", `{"clientId":"abc"}`)
	sent := 0
	for {
		s.mutex.Lock()
		news, changed := s.order[sent:], s.changed
		sent = len(s.order)
		s.mutex.Unlock()
		for _, id := range news {
			status, _ := s.status(id)
			send("quantum_jobs/*", fmt.Sprintf(`{"action":"update","record":{"id":%q,"status":%q}}`, id, status))
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// noGoroutineLeft fails if goroutines of the client remain after what the test did with it.
func noGoroutineLeft(t *testing.T, client *svc.Client) {
	t.Helper()
	var stacks string
	for range 500 {
		client.Close()
		text := make([]byte, 1<<20)
		stacks = string(text[:runtime.Stack(text, true)])
		left := 0
		for _, stack := range strings.Split(stacks, "\n\n") {
			if strings.Contains(stack, "svc.example/clients/go.") && !strings.Contains(stack, "testing.tRunner") {
				left++
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("goroutines are left:\n%s", stacks)
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
