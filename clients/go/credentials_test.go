package svc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// saveAccounts makes a file of saved accounts the only source of credentials.
func saveAccounts(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "client.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SVC_CLIENT_CONFIG", path)
	t.Setenv("SVC_ADDR", "")
	t.Setenv("SVC_API_TOKEN", "")
	t.Setenv("SVC_PROFILE", "")
}

const twoAccounts = `{"profiles":{"default":{"address":"https://one","api_token":"first"},
	"lab":{"address":"https://two","api_token":"second","ca_fingerprint":"ab"}}}`

func TestCredentialsComeFromArgumentsVariablesOrAProfile(t *testing.T) {
	type given struct{ address, token, profile, envAddress, envToken, envProfile string }
	for name, each := range map[string]struct {
		given given
		want  credentials
	}{
		"the default profile":                        {given{}, credentials{"https://one", "first", "default", "", "", ""}},
		"a named profile":                            {given{profile: "lab"}, credentials{"https://two", "second", "lab", "ab", "", ""}},
		"a profile by variable":                      {given{envProfile: "lab"}, credentials{"https://two", "second", "lab", "ab", "", ""}},
		"variables":                                  {given{envAddress: "https://env", envToken: "third"}, credentials{"https://env", "third", "", "", "", ""}},
		"arguments win":                              {given{address: "https://arg", token: "fourth", envAddress: "https://env"}, credentials{"https://arg", "fourth", "", "", "", ""}},
		"a named profile wins":                       {given{profile: "lab", envAddress: "https://env", envToken: "third"}, credentials{"https://two", "second", "lab", "ab", "", ""}},
		"a saved token goes to its own address only": {given{address: "https://other"}, credentials{"https://other", "", "", "", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			saveAccounts(t, twoAccounts)
			t.Setenv("SVC_ADDR", each.given.envAddress)
			t.Setenv("SVC_API_TOKEN", each.given.envToken)
			t.Setenv("SVC_PROFILE", each.given.envProfile)
			got, err := credentialsOf(each.given.address, options{token: each.given.token, profile: each.given.profile})
			if err != nil || got != each.want {
				t.Errorf("%+v, %v instead of %+v", got, err, each.want)
			}
		})
	}
}

func TestPlainHTTPWithAPinIsRefused(t *testing.T) {
	pin := strings.Repeat("ab", 32)
	for _, address := range []string{"http://one", "HTTP://one", "https://two,http://one"} {
		saveAccounts(t, `{"profiles":{"default":{"address":"`+address+`","api_token":"t","ca_fingerprint":"`+pin+`"}}}`)
		_, given := New(address, WithToken("t"), WithCA(pin))
		_, withOwn := New(address, WithToken("t"), WithCA(pin), WithHTTPClient(http.DefaultClient))
		_, saved := New("")
		for _, err := range []error{given, withOwn, saved} {
			if err == nil || !strings.Contains(err.Error(), "protects https only, and") {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
	if _, err := New("http://one", WithToken("t")); err != nil {
		t.Error(err)
	}
}

func TestMistakesOfCredentialsNameTheRemedy(t *testing.T) {
	saveAccounts(t, `{"profiles":{}}`)
	for _, each := range []struct{ address, profile, contains string }{
		{"", "", "set SVC_ADDR, or run: svc login ADDRESS"},
		{"", "lab", "make it with: svc login ADDRESS --profile lab"},
		{"localhost:8090", "", `"localhost:8090" is no URL`},
	} {
		_, err := New(each.address, WithProfile(each.profile))
		if err == nil || !strings.Contains(err.Error(), each.contains) {
			t.Errorf("%+v: %v", each, err)
		}
	}
	saveAccounts(t, `{`)
	if _, err := New(""); err == nil || !strings.Contains(err.Error(), "repair or remove it") {
		t.Errorf("a broken file is %v", err)
	}
}

func TestTheNextAddressIsUsedWhenOneDoesNotRespond(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[]`)) }))
	defer server.Close()
	silent := httptest.NewServer(nil)
	silent.Close()
	client, err := New(silent.URL+", "+server.URL, WithToken("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.QPUs(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestOnlyThePinnedRootIsTrusted(t *testing.T) {
	tokens := []string{}
	var root []byte
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := r.Header.Get("Authorization"); token != "" {
			tokens = append(tokens, token)
		}
		if r.URL.Path == "/api/pub/root-ca.pem" {
			_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: root})
			return
		}
		_, _ = w.Write([]byte(`[]`))
	}))
	defer server.Close()
	root = server.Certificate().Raw
	digest := sha256.Sum256(root)
	right := hex.EncodeToString(digest[:])
	wrong := strings.Repeat("00", sha256.Size)

	client, err := New(server.URL, WithToken("secret"), WithCA(wrong), WithRetries(Retries{Tries: 1}))
	if err != nil {
		t.Fatal(err)
	}
	var lost *ConnectionError
	if _, err := client.QPUs(context.Background()); !errors.As(err, &lost) || !strings.Contains(err.Error(), "is pinned; no token was sent") {
		t.Errorf("another root is %v", err)
	}
	if len(tokens) > 0 {
		t.Errorf("a server with another root was sent %v", tokens)
	}
	if client, err = New(server.URL, WithToken("secret"), WithCA(right)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.QPUs(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := New(server.URL, WithCA("abc")); err == nil {
		t.Error("a short fingerprint was accepted")
	}
}
