package svc

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// Record is a record of a collection, by the names of its fields.
type Record = map[string]any

// Collection has the records of one collection.
type Collection struct {
	transport *transport
	name      string
}

// ListOptions say which records to list. Filter and Sort are those of the reference of records.
type ListOptions struct {
	Filter, Sort, Expand, Fields string
	// Page counts from 1.
	Page, PerPage int
	SkipTotal     bool
}

// RecordPage is one page of records.
type RecordPage struct {
	Page    int `json:"page"`
	PerPage int `json:"perPage"`
	// TotalItems and TotalPages are -1 if the total was skipped.
	TotalItems int      `json:"totalItems"`
	TotalPages int      `json:"totalPages"`
	Items      []Record `json:"items"`
}

// List returns one page of records.
func (c *Collection) List(ctx context.Context, o ListOptions) (*RecordPage, error) {
	query := url.Values{}
	for name, value := range map[string]string{"filter": o.Filter, "sort": o.Sort, "expand": o.Expand, "fields": o.Fields} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if o.Page > 0 {
		query.Set("page", strconv.Itoa(o.Page))
	}
	if o.PerPage > 0 {
		query.Set("perPage", strconv.Itoa(o.PerPage))
	}
	if o.SkipTotal {
		query.Set("skipTotal", "true")
	}
	var page RecordPage
	err := c.transport.request(ctx, call{method: http.MethodGet, path: c.path(""), query: query}, &page)
	return &page, err
}

// Get reads a record.
func (c *Collection) Get(ctx context.Context, id string) (Record, error) {
	return c.send(ctx, call{method: http.MethodGet, path: c.path(id)})
}

// Create makes a record of a struct or map.
func (c *Collection) Create(ctx context.Context, body any) (Record, error) {
	return c.send(ctx, call{method: http.MethodPost, path: c.path(""), body: body})
}

// Update changes the given fields of a record.
func (c *Collection) Update(ctx context.Context, id string, body any) (Record, error) {
	return c.send(ctx, call{method: http.MethodPatch, path: c.path(id), body: body})
}

// Delete deletes a record.
func (c *Collection) Delete(ctx context.Context, id string) error {
	return c.transport.request(ctx, call{method: http.MethodDelete, path: c.path(id)}, nil)
}

// Subscribe yields changes of records, of one id or of all for "*". nil comes at the start and after each
// interruption: what has changed before is not reported, so read again then. It ends after an error.
func (c *Collection) Subscribe(ctx context.Context, id string, filter string) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		topic := c.name + "/" + id
		if filter != "" {
			options, _ := json.Marshal(map[string]any{"query": map[string]string{"filter": filter}})
			topic += "?options=" + url.QueryEscape(string(options))
		}
		for failures := 1; ; failures++ {
			left := false
			err := c.transport.follow(ctx, []string{topic}, func(change *Change) error {
				failures = 0
				if left = !yield(change, nil); left {
					return context.Canceled
				}
				return nil
			})
			if left {
				return
			}
			if answer, ok := err.(*Error); ok && !isTemporary(answer) {
				yield(nil, err)
				return
			}
			if err := backOff(ctx, failures); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

func (c *Collection) send(ctx context.Context, request call) (Record, error) {
	var record Record
	err := c.transport.request(ctx, request, &record)
	return record, err
}

func (c *Collection) path(id string) string {
	path := "/api/collections/" + url.PathEscape(c.name) + "/records"
	if id != "" {
		path += "/" + url.PathEscape(id)
	}
	return path
}

// Tokens are the API tokens of the account.
type Tokens struct{ transport *transport }

// Create makes a token; its text is in this response only.
func (t *Tokens) Create(ctx context.Context, o TokenOptions) (*NewToken, error) {
	var made NewToken
	err := t.transport.request(ctx, call{method: http.MethodPost, path: "/api/tokens", body: o}, &made)
	return &made, err
}

// List lists the tokens.
func (t *Tokens) List(ctx context.Context) ([]Token, error) {
	var list []Token
	err := t.transport.request(ctx, call{method: http.MethodGet, path: "/api/tokens"}, &list)
	return list, err
}

// Update changes the given fields of a token.
func (t *Tokens) Update(ctx context.Context, id string, change TokenChange) (*Token, error) {
	var token Token
	path := "/api/tokens/" + url.PathEscape(id)
	err := t.transport.request(ctx, call{method: http.MethodPatch, path: path, body: change, isRepeatable: true}, &token)
	return &token, err
}

// Delete deletes a token, which is not valid any more.
func (t *Tokens) Delete(ctx context.Context, id string) error {
	return t.transport.request(ctx, call{method: http.MethodDelete, path: "/api/tokens/" + url.PathEscape(id)}, nil)
}
