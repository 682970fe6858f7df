package svc_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	svc "svc.example/clients/go"
)

// sessionServer notes requests with their tokens, and has one session.
type sessionServer struct {
	*httptest.Server
	mutex sync.Mutex
	state string
	seen  []string
}

func newSessionServer(t *testing.T) *sessionServer {
	t.Helper()
	s := &sessionServer{state: "queued"}
	session := func(w http.ResponseWriter) {
		respond(w, http.StatusOK, map[string]any{
			"id": "s1", "qpu": "q1", "qpu_target": "kelvin", "state": s.state, "end": "booking", "holder": "h1", "secret": "own",
		})
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		s.seen = append(s.seen, r.Method+" "+r.URL.RequestURI()+" "+token)
		switch {
		case r.URL.Path == "/api/jobs" && r.Method == http.MethodPost:
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			if body["qpu_target"] != nil {
				t.Errorf("the submission names %v", body["qpu_target"])
			}
			respond(w, http.StatusCreated, jobBody("j1", svc.Pending))
		case r.URL.Path == "/api/jobs":
			respond(w, http.StatusOK, []any{})
		case r.URL.Path == "/api/sessions" && r.Method == http.MethodGet:
			respond(w, http.StatusOK, []any{map[string]any{"id": "s1", "qpu_target": "kelvin"}})
		case r.URL.Path == "/api/sessions/s2" && token == "own":
			respond(w, http.StatusNotFound, map[string]any{"status": http.StatusNotFound, "code": "not_found"})
		case r.URL.Query().Has("wait"):
			s.state = "active"
			session(w)
		default:
			session(w)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sessionServer) expect(t *testing.T, wanted ...string) {
	t.Helper()
	if got := strings.Join(s.seen, "\n"); got != strings.Join(wanted, "\n") {
		t.Errorf("requests:\n%s\nwanted:\n%s", got, strings.Join(wanted, "\n"))
	}
	s.seen = nil
}

func submitBell(ctx context.Context, held *svc.Client) error {
	_, err := held.Submit(ctx, svc.Submission{Circuits: []svc.Circuit{{Circuit: "h q;"}}})
	return err
}

func TestSessionSubmitsByItsSecretAndEnds(t *testing.T) {
	s := newSessionServer(t)
	client, err := svc.New(s.URL, svc.WithToken("token"))
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Session(context.Background(), "kelvin", svc.SessionOptions{Seconds: 60}, submitBell); err != nil {
		t.Fatal(err)
	}
	s.expect(t,
		"POST /api/sessions token", "GET /api/sessions/s1 token", "GET /api/sessions/s1?state=queued&wait=30 own",
		"POST /api/jobs own", "GET /api/jobs?limit=100&omit=payload%2Cresults&qpu=q1&status=pending%2Crunning token",
		"DELETE /api/sessions/s1?holder=h1 token",
	)
	ctx, cancel := context.WithCancel(context.Background())
	failure := errors.New("no signal")
	fail := func(context.Context, *svc.Client) error { cancel(); return failure }
	if err := client.Session(ctx, "kelvin", svc.SessionOptions{}, fail); err != failure {
		t.Error(err)
	}
	s.expect(t, "POST /api/sessions token", "GET /api/sessions/s1 token", "DELETE /api/sessions/s1?holder=h1 token")
	s.state = "closed"
	err = client.Session(context.Background(), "kelvin", svc.SessionOptions{}, submitBell)
	if !errors.Is(err, svc.ErrSessionEnded) || !errors.Is(err, svc.ErrConflict) ||
		!strings.Contains(err.Error(), "a booking of another user began") {
		t.Error(err)
	}
}

func TestSessionOfTheEnvironment(t *testing.T) {
	s := newSessionServer(t)
	t.Setenv("SVC_CLIENT_CONFIG", t.TempDir()+"/none")
	t.Setenv("SVC_ADDR", s.URL)
	t.Setenv("SVC_SESSION", "own")
	t.Setenv("SVC_QPU", "kelvin")
	client, err := svc.New("")
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Session(context.Background(), "", svc.SessionOptions{}, submitBell); err != nil {
		t.Fatal(err)
	}
	s.expect(t,
		"GET /api/sessions own", "GET /api/sessions/s1 own", "GET /api/sessions/s1?state=queued&wait=30 own", "POST /api/jobs own")
	if err := client.Session(context.Background(), "celsius", svc.SessionOptions{}, submitBell); err == nil ||
		err.Error() != "SVC_SESSION is a session on QPU kelvin, not on celsius" {
		t.Error(err)
	}
	s.seen = nil
	// With an API token, too, it ends what holds its own session for itself alone, and other sessions as ever.
	t.Setenv("SVC_API_TOKEN", "token")
	both, err := svc.New("")
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range [][2]string{{"s1", ""}, {"s2", ""}, {"s1", "h2"}} {
		if _, err := both.Sessions().End(context.Background(), end[0], end[1], ""); err != nil && end[0] == "s1" {
			t.Fatal(err)
		}
	}
	s.expect(t,
		"DELETE /api/sessions/s1 own", "DELETE /api/sessions/s2 own", "DELETE /api/sessions/s2 token",
		"DELETE /api/sessions/s1?holder=h2 token")
	// Arguments come before variables.
	user, err := svc.New(s.URL, svc.WithToken("token"))
	if err != nil {
		t.Fatal(err)
	}
	if err := submitBell(context.Background(), user); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "POST /api/jobs token")
}
