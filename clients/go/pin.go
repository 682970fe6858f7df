package svc

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

const maxCertificate = 64 * 1024

// pinnedDialer connects by TLS to servers whose root CA has a fingerprint. The root is fetched once, compared, and
// is the only one that is trusted.
type pinnedDialer struct {
	fingerprint []byte
	mutex       sync.Mutex
	roots       *x509.CertPool
}

// pinError is a server with another root certificate than the pinned one.
type pinError struct{ message string }

func (e *pinError) Error() string { return e.message }

// notEstablishedError is a failure before the request was sent.
type notEstablishedError struct{ error }

func (e *notEstablishedError) Unwrap() error { return e.error }

func newPinnedDialer(fingerprint string) (*pinnedDialer, error) {
	digits := strings.NewReplacer(":", "", " ", "").Replace(fingerprint)
	bytes, err := hex.DecodeString(digits)
	if err != nil || len(bytes) != sha256.Size {
		return nil, fmt.Errorf("%q is no SHA-256 fingerprint; write its 32 bytes as 64 hexadecimal digits", fingerprint)
	}
	return &pinnedDialer{fingerprint: bytes}, nil
}

func (d *pinnedDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	roots, err := d.trusted(ctx, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, ServerName: host, MinVersion: tls.VersionTLS12}}
	return dialer.DialContext(ctx, network, address)
}

// trusted returns the pool with the pinned root. Nothing secret is sent before it is known.
func (d *pinnedDialer) trusted(ctx context.Context, address string) (*x509.CertPool, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.roots != nil {
		return d.roots, nil
	}
	// Without verification: only the fingerprint decides.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/api/pub/root-ca.pem", nil)
	if err != nil {
		return nil, err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, &notEstablishedError{err}
	}
	defer response.Body.Close()
	// A proxy of a server that restarts, for example: it may respond later.
	if response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500 {
		return nil, &notEstablishedError{fmt.Errorf("%s when the root CA was requested", response.Status)}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxCertificate))
	if err != nil {
		return nil, &notEstablishedError{err}
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, &pinError{fmt.Sprintf("the server at %s has no readable root CA; no token was sent", address)}
	}
	found := sha256.Sum256(block.Bytes)
	if subtle.ConstantTimeCompare(found[:], d.fingerprint) != 1 {
		return nil, &pinError{fmt.Sprintf("the server at %s has a root CA with fingerprint %x, but %x is pinned; no token "+
			"was sent", address, found, d.fingerprint)}
	}
	root, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	d.roots = x509.NewCertPool()
	d.roots.AddCert(root)
	return d.roots, nil
}
