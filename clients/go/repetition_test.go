package svc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answers is an http.RoundTripper that a test writes.
type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

func answer(status int, body string) (*http.Response, error) {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body))}, nil
}

func jobAnswer() (*http.Response, error) { return answer(201, `{"id":"job","status":"pending"}`) }

// outlast submits a job while the clock moves by what is slept. It returns how long that took.
func outlast(t *testing.T, address string, retries Retries, respond func(now time.Duration, requests int) (*http.Response, error)) (time.Duration, int, error) {
	t.Helper()
	var now time.Duration
	requests, keys := 0, map[string]bool{}
	transport := answers(func(r *http.Request) (*http.Response, error) {
		requests++
		keys[r.Header.Get("Idempotency-Key")] = true
		return respond(now, requests)
	})
	client, err := New(address, WithToken("token"), WithHTTPClient(&http.Client{Transport: transport}), WithRetries(retries))
	if err != nil {
		t.Fatal(err)
	}
	client.transport.clock = clock{
		now:   func() time.Time { return time.Unix(0, 0).Add(now) },
		sleep: func(_ context.Context, d time.Duration) error { now += d; return nil },
	}
	_, err = client.Submit(context.Background(), Submission{Circuits: []Circuit{{Circuit: "qubit q;"}}}, WithIdempotencyKey("mine"))
	if len(keys) != 1 || !keys["mine"] {
		t.Errorf("the keys are %v", keys)
	}
	return now, requests, err
}

const somewhere = "http://127.0.0.1:1"

var (
	refused     = &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	reset       = &net.OpError{Op: "read", Err: errors.New("connection reset")}
	wrongName   = &net.DNSError{Err: "no such host", Name: "wrong", IsNotFound: true}
	certificate = &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
)

func TestSubmissionOutlastsAServerThatIsDown(t *testing.T) {
	took, _, err := outlast(t, somewhere, Retries{Tries: 1}, func(now time.Duration, _ int) (*http.Response, error) {
		switch {
		case now < time.Minute:
			return nil, refused
		case now < 90*time.Second:
			return answer(502, "<html>")
		}
		return jobAnswer()
	})
	if err != nil || took < 90*time.Second || took > 101*time.Second {
		t.Errorf("it took %v: %v", took, err)
	}
}

func TestSubmissionWithoutAResponseEndsWithItsKey(t *testing.T) {
	for first, maybeDone := range map[error]bool{error(refused): false, error(reset): true} {
		took, _, err := outlast(t, somewhere, Retries{}, func(_ time.Duration, requests int) (*http.Response, error) {
			if requests == 1 {
				return nil, first
			}
			return nil, refused
		})
		var lost *ConnectionError
		if !errors.As(err, &lost) || lost.IdempotencyKey != "mine" || lost.MaybeDone != maybeDone || took < 590*time.Second {
			t.Errorf("after %v and %v: %v", first, took, err)
		}
		if !strings.Contains(err.Error(), "its idempotency key is mine") {
			t.Errorf("the text is %q", err)
		}
	}
}

func TestSubmissionCountsWhatTheServerItselfReports(t *testing.T) {
	_, requests, err := outlast(t, somewhere, Retries{}, func(time.Duration, int) (*http.Response, error) {
		return answer(500, `{"code":"internal","message":"Internal error"}`)
	})
	var failure *Error
	if !errors.As(err, &failure) || failure.IdempotencyKey != "mine" || requests != 5 {
		t.Errorf("after %d requests: %v", requests, err)
	}
}

func TestSubmissionToAWrongServerEndsAtOnce(t *testing.T) {
	for _, fault := range []error{wrongName, certificate, &pinError{"another root CA"}} {
		_, requests, err := outlast(t, somewhere, Retries{}, func(time.Duration, int) (*http.Response, error) { return nil, fault })
		var lost *ConnectionError
		if !errors.As(err, &lost) || !lost.IsDefinite || lost.IdempotencyKey != "" || requests != 1 {
			t.Errorf("after %d requests: %v", requests, err)
		}
		_, _, err = outlast(t, somewhere, Retries{}, func(_ time.Duration, requests int) (*http.Response, error) {
			if requests < 3 {
				return nil, []error{reset, fault}[requests-1]
			}
			return jobAnswer()
		})
		if err != nil {
			t.Errorf("the server was connected before: %v", err)
		}
	}
	_, _, err := outlast(t, "http://wrong.example,"+somewhere, Retries{}, func(_ time.Duration, requests int) (*http.Response, error) {
		if requests == 1 {
			return nil, wrongName
		}
		return jobAnswer()
	})
	if err != nil {
		t.Errorf("the second address is right: %v", err)
	}
}

func TestSubmissionWithATokenThatExpiresMeanwhileLeavesItsKey(t *testing.T) {
	unauthorized := func() (*http.Response, error) { return answer(401, `{"code":"unauthorized","message":"No"}`) }
	for losses, key := range map[int]string{0: "", 1: "mine"} {
		_, _, err := outlast(t, somewhere, Retries{}, func(_ time.Duration, requests int) (*http.Response, error) {
			if requests <= losses {
				return nil, reset
			}
			return unauthorized()
		})
		var failure *Error
		if !errors.As(err, &failure) || failure.IdempotencyKey != key || !errors.Is(err, ErrUnauthorized) {
			t.Errorf("after %d lost connections: %v", losses, err)
		}
	}
}

func TestSubmissionThatIsInterruptedLeavesItsKey(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	transport := answers(func(*http.Request) (*http.Response, error) { cancel(); return nil, reset })
	client, err := New(somewhere, WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Submit(ctx, Submission{Circuits: []Circuit{{Circuit: "qubit q;"}}}, WithIdempotencyKey("mine"))
	var lost *ConnectionError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &lost) || lost.IdempotencyKey != "mine" {
		t.Errorf("the error is %v", err)
	}
}

func TestSubmissionsLastAtMostAsLongAsTheServerKeepsKeys(t *testing.T) {
	if _, err := New(somewhere, WithRetries(Retries{WithoutResponse: 24 * time.Hour})); err == nil {
		t.Error("24 hours are accepted")
	}
}

func TestAServerThatStandsByIsLeftForTheNextAddress(t *testing.T) {
	var hosts []string
	transport := answers(func(r *http.Request) (*http.Response, error) {
		hosts = append(hosts, r.URL.Host)
		if len(hosts) <= 6 {
			return answer(503, `{"code":"not_leader","message":"Stands by"}`)
		}
		return answer(200, `[]`)
	})
	client, err := New("http://one,http://two", WithToken("token"), WithHTTPClient(&http.Client{Transport: transport}),
		WithRetries(Retries{Tries: 1}))
	if err != nil {
		t.Fatal(err)
	}
	var pauses []time.Duration
	client.transport.clock.sleep = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
	if _, err := client.QPUs(context.Background()); err != nil {
		t.Errorf("no server leads for a while: %v", err)
	}
	if got := strings.Join(hosts, " "); got != "one two one two one two one" || pauses[0] != 0 {
		t.Errorf("asked %s with pauses %v", got, pauses)
	}
}

func TestTheLimitOfSilenceIsNoneOfTheWhole(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = w.Write([]byte(`{"role": "`))
		for range 30 {
			time.Sleep(50 * time.Millisecond)
			_, _ = w.Write([]byte("u"))
			w.(http.Flusher).Flush()
		}
		_, _ = w.Write([]byte(`"}`))
	}))
	defer server.Close()
	client, err := New(server.URL, WithToken("token"))
	if err != nil {
		t.Fatal(err)
	}
	client.transport.silence = time.Second
	me, err := client.Me(context.Background())
	if err != nil || me.Role != strings.Repeat("u", 30) || requests != 1 {
		t.Errorf("%v, %v after %d requests", me, err, requests)
	}
}

func TestOne404OfTheRouteForManyJobsDoesNotEndItsUse(t *testing.T) {
	changes, now := 0, time.Unix(0, 0)
	transport := answers(func(r *http.Request) (*http.Response, error) {
		now = now.Add(40 * time.Second)
		if r.Method == http.MethodGet {
			return answer(200, `{"id":"job","status":"pending"}`)
		}
		if changes++; changes == 1 {
			return answer(404, "no such page")
		}
		return answer(200, `{"jobs":[{"id":"job","status":"cancelled"}],"unknown":[]}`)
	})
	client, err := New(somewhere, WithToken("token"), WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatal(err)
	}
	client.transport.clock.now = func() time.Time { return now }
	done, err := client.JobOf("job").Wait(context.Background())
	if err != nil || done.Status != Cancelled || changes != 2 {
		t.Errorf("%v, %v after %d requests", done, err, changes)
	}
}
