package svc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

// silence is above the time between two comments of the server on a quiet stream.
const silence = 60 * time.Second

// maxEvent is above the largest record that the server sends.
const maxEvent = 32 * 1024 * 1024

// Change is a change of a record.
type Change struct {
	// Action is "create", "update" or "delete".
	Action string          `json:"action"`
	Record json.RawMessage `json:"record"`
}

// follow subscribes to topics such as "quantum_jobs/*" and calls onChange with each change, and with nil once the
// subscription is confirmed: changes of before are to be read. It returns when the connection is lost, when nothing
// has come for a minute, or with the error of onChange.
func (t *transport) follow(ctx context.Context, topics []string, onChange func(*Change) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(silence, cancel)
	defer timer.Stop()
	address := t.addresses.current()
	response, err := t.send(ctx, address, call{method: http.MethodGet, path: "/api/realtime", accept: "text/event-stream"})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return readEvents(bufio.NewReaderSize(response.Body, 64*1024), func() { timer.Reset(silence) }, func(event, data string) error {
		if event != "PB_CONNECT" {
			var change Change
			if err := json.Unmarshal([]byte(data), &change); err != nil {
				return err
			}
			return onChange(&change)
		}
		var hello struct {
			ClientID string `json:"clientId"`
		}
		if err := json.Unmarshal([]byte(data), &hello); err != nil {
			return err
		}
		body := map[string]any{"clientId": hello.ClientID, "subscriptions": topics}
		if err := t.request(ctx, call{method: http.MethodPost, path: "/api/realtime", body: body, isRepeatable: true}, nil); err != nil {
			return err
		}
		return onChange(nil)
	})
}

// readEvents calls onEvent with each event of a stream (HTML standard, section 9.2) and onLine with each line.
func readEvents(reader *bufio.Reader, onLine func(), onEvent func(event, data string) error) error {
	scanner := bufio.NewScanner(reader)
	scanner.Buffer(make([]byte, 0, 64*1024), maxEvent)
	event, data := "", []string(nil)
	for scanner.Scan() {
		onLine()
		line := scanner.Text()
		if line == "" {
			if len(data) > 0 {
				if err := onEvent(event, strings.Join(data, "\n")); err != nil {
					return err
				}
			}
			event, data = "", nil
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			event = value
		case "data":
			data = append(data, value)
		}
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	return errors.New("the event stream has ended")
}
