package svc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// account is what `svc login` has saved.
type account struct {
	Address       string `json:"address"`
	APIToken      string `json:"api_token"`
	CAFingerprint string `json:"ca_fingerprint"`
}

// credentials say where a client connects, and as whom.
type credentials struct {
	address string
	token   string
	// profile of the token, if it is a saved one.
	profile       string
	caFingerprint string
	// session is the secret by which jobs are submitted, and qpu where those go that name none.
	session, qpu string
}

// credentialsOf takes address and token from the arguments, the environment, or the saved account. A saved
// token is used with its own address only, and so is the session of the environment.
func credentialsOf(address string, o options) (credentials, error) {
	token, profile := o.token, o.profile
	got := credentials{session: o.session, qpu: o.qpu}
	if token == "" && profile == "" && (address == "" || address == os.Getenv("SVC_ADDR")) {
		got.session, got.qpu = firstOf(o.session, os.Getenv("SVC_SESSION")), firstOf(o.qpu, os.Getenv("SVC_QPU"))
		// A driver of the same shell compares it with plain HTTP, too.
		if strings.HasPrefix(os.Getenv("SVC_ADDR"), "https:") {
			got.caFingerprint = os.Getenv("SVC_CA_FINGERPRINT")
		}
	}
	var named *account
	if profile != "" {
		saved, err := savedAccount(profile, true)
		if err != nil {
			return credentials{}, err
		}
		named = saved
	}
	if address == "" && named != nil {
		address = named.Address
	}
	if address == "" {
		address = os.Getenv("SVC_ADDR")
	}
	if token == "" && named == nil {
		// Without an API token, the secret of the session reads its jobs, too.
		token = firstOf(os.Getenv("SVC_API_TOKEN"), got.session)
	}
	got.address, got.token = address, token
	if address != "" && token != "" && named == nil {
		return got, nil
	}
	name := firstOf(profile, os.Getenv("SVC_PROFILE"), "default")
	saved := named
	if saved == nil {
		found, err := savedAccount(name, os.Getenv("SVC_PROFILE") != "")
		if err != nil {
			return credentials{}, err
		}
		saved = found
	}
	if saved == nil {
		return got, nil
	}
	if got.address == "" {
		got.address = saved.Address
	}
	if got.address == saved.Address {
		got.caFingerprint = saved.CAFingerprint
		if token == "" && saved.APIToken != "" {
			got.token, got.profile = saved.APIToken, name
		}
	}
	return got, nil
}

// accountsPath is the file of the saved accounts; empty without a home folder.
func accountsPath() string {
	if given := os.Getenv("SVC_CLIENT_CONFIG"); given != "" {
		return given
	}
	if runtime.GOOS == "windows" {
		if folder := os.Getenv("APPDATA"); folder != "" {
			return filepath.Join(folder, "svc", "client.json")
		}
		return ""
	}
	if home := os.Getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "svc", "client.json")
	}
	return ""
}

func savedAccount(name string, isRequired bool) (*account, error) {
	path := accountsPath()
	var file struct {
		Profiles map[string]*account `json:"profiles"`
	}
	if path != "" {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading the saved accounts: %w", err)
		}
		if err == nil {
			warnOfOpenFile(path)
			if err := json.Unmarshal(text, &file); err != nil {
				return nil, fmt.Errorf("%s is no JSON; repair or remove it: %w", path, err)
			}
		}
	}
	found := file.Profiles[name]
	if found == nil && isRequired {
		return nil, fmt.Errorf("no profile %q in %s; make it with: svc login ADDRESS --profile %s", name, path, name)
	}
	return found, nil
}

func warnOfOpenFile(path string) {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		slog.Warn("others can read the API tokens of svc; run: chmod 600 " + path)
	}
}

// addresses of a server, of which one is in use until it does not respond or does not lead.
type addresses struct {
	mutex sync.Mutex
	all   []string
	at    int
	// reached are those to which a connection was established; wrong are those to which none was, because no server has
	// the name or its certificate is not trusted.
	reached, wrong map[string]bool
}

func newAddresses(given string) (*addresses, error) {
	list := &addresses{reached: map[string]bool{}, wrong: map[string]bool{}}
	for _, each := range strings.Split(given, ",") {
		address := strings.TrimRight(strings.TrimSpace(each), "/")
		if address == "" {
			continue
		}
		parsed, err := url.Parse(address)
		if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
			return nil, fmt.Errorf("the address %q is no URL such as https://svc.lab.example", address)
		}
		list.all = append(list.all, address)
	}
	if len(list.all) == 0 {
		return nil, errors.New("no address of a server; pass one to New, set SVC_ADDR, or run: svc login ADDRESS")
	}
	return list, nil
}

// assertEncrypted refuses addresses of plain HTTP, where nothing would be compared with a pinned root certificate.
func (a *addresses) assertEncrypted() error {
	for _, address := range a.all {
		if strings.HasPrefix(strings.ToLower(address), "http:") {
			return fmt.Errorf("the fingerprint of a root CA protects https only, and %s is plain HTTP; use its https address, "+
				"or no fingerprint", address)
		}
	}
	return nil
}

func (a *addresses) current() string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.all[a.at]
}

// reach notes that a server was connected: what is wrong with its name later is a failure of the network.
func (a *addresses) reach(address string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.reached[address] = true
	delete(a.wrong, address)
}

// leave continues with the address after the one that did not respond or does not lead. It reports whether it is of no use to try
// again: that each address is wrong.
func (a *addresses) leave(address string, isWrong bool) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.all[a.at] == address {
		a.at = (a.at + 1) % len(a.all)
	}
	if !isWrong || a.reached[address] {
		return false
	}
	a.wrong[address] = true
	for _, each := range a.all {
		if !a.wrong[each] {
			return false
		}
	}
	return true
}

var warned sync.Map

// warnOfPlainHTTP says once for each address that a token goes to another machine without encryption.
func warnOfPlainHTTP(address string) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" {
		return
	}
	host := parsed.Hostname()
	if host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.") {
		return
	}
	if _, isKnown := warned.LoadOrStore(address, true); !isKnown {
		slog.Warn("the API token is sent to " + address + " without encryption; use https")
	}
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
