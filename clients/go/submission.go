package svc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Circuit is a program with what belongs to it.
type Circuit struct {
	// Circuit is the program, in OpenQASM 2 or 3.
	Circuit string `json:"circuit"`
	// ParameterValues are sets of values for the inputs of the program in their order; each gives one result.
	ParameterValues [][]float64 `json:"parameter_values,omitempty"`
	// NamedValues are such sets by the names of the inputs, in place of ParameterValues, which input arrays need.
	NamedValues []map[string]float64 `json:"-"`
	// Shots of this circuit; those of the submission if 0.
	Shots int `json:"shots,omitempty"`
	// ExpectationValues are Pauli sums of which an exact job returns the means, by label with qubit 0 last: {"ZZ": 0.5}.
	ExpectationValues []map[string]float64 `json:"expectation_values,omitempty"`
	// Name and Metadata (at most 4 KiB) are returned with its results.
	Name     string         `json:"name,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// QualityCondition is what a job requires of the qubits and pairs that it uses.
type QualityCondition struct {
	// ReadoutFidelity of each qubit: ">0.97".
	ReadoutFidelity string `json:"readout_fidelity,omitempty"`
	// TwoQubitError of each pair: "<0.01".
	TwoQubitError string `json:"two_qubit_error,omitempty"`
	// CalibratedWithin is how long ago the newest value of each was measured, at most: "2h".
	CalibratedWithin string `json:"calibrated_within,omitempty"`
}

// Submission is what a job consists of.
type Submission struct {
	Circuits []Circuit `json:"circuits"`
	// Shots of each circuit that does not state its own; 1024 if 0.
	Shots int `json:"shots,omitempty"`
	// QPU is a name or id; any QPU if empty.
	QPU string `json:"qpu_target,omitempty"`
	// MeasLevel is 0, 1 or 2; 2 if nil.
	MeasLevel *int `json:"meas_level,omitempty"`
	// MeasReturn is "single" or "avg", of levels 0 and 1.
	MeasReturn string `json:"meas_return,omitempty"`
	// Memory also returns the outcome of each shot.
	Memory bool `json:"memory,omitempty"`
	// OptimizationLevel is how much a compiler changes the circuits: 0 (gates as written), 1 or 2; the device
	// decides if nil.
	OptimizationLevel *int `json:"optimization_level,omitempty"`
	// DynamicalDecoupling is "XX" or "XY4", pulses in the waits of qubits against slow noise; none if empty.
	DynamicalDecoupling string `json:"dynamical_decoupling,omitempty"`
	// Scheduling is when operations start: "alap", as late as possible, or "asap"; "alap" if empty.
	Scheduling string `json:"scheduling,omitempty"`
	// Precision of the amplitudes of a simulator, "double" or "single", which takes half the memory and time; double if empty.
	Precision string `json:"precision,omitempty"`
	// Seed makes the results of a simulator repeatable.
	Seed *int64 `json:"seed,omitempty"`
	// AllowUncalibrated also uses parts of the chip that are not calibrated; the results name them in Warnings.
	AllowUncalibrated bool `json:"allow_uncalibrated,omitempty"`
	// Exact asks for expectation values, or probabilities, in place of shots; simulators only.
	Exact bool `json:"exact,omitempty"`
	// MaxSeconds is the most QPU time that it may use and be charged, over all attempts; then it fails. No limit if 0.
	MaxSeconds float64 `json:"max_seconds,omitempty"`
	// Require is the quality of the qubits and pairs that it may use; it waits until enough of them have it.
	Require *QualityCondition `json:"require,omitempty"`
	// GiveUpAfter is the time from the submission, such as "2h", after which it fails with given_up if it still waits.
	GiveUpAfter string   `json:"give_up_after,omitempty"`
	Name        string   `json:"name,omitempty"`
	Tags        []string `json:"tags,omitempty"`

	// MemoryFormat is how the server sends the memory; Submit chooses it.
	MemoryFormat string `json:"memory_format,omitempty"`
}

// Limits of the server, checked before anything is sent.
const (
	maxExecutions = 300
	maxBody       = 16 * 1024 * 1024
)

// CallOption changes one submission.
type CallOption func(*call)

// WithIdempotencyKey names a submission, so that repeating it, by another process for example, makes no second job.
func WithIdempotencyKey(key string) CallOption { return func(c *call) { c.key = key } }

// Submit submits a job: exactly one, whatever happens to the connection, because each submission has a key. Without a
// response it is repeated for 10 minutes (Retries.WithoutResponse). Errors name the place in the program; slog has what the
// server warns of, such as a recalled calibration.
func (c *Client) Submit(ctx context.Context, s Submission, opts ...CallOption) (*Job, error) {
	if s.Memory && (s.MeasLevel == nil || *s.MeasLevel == 2) {
		s.MemoryFormat = "packed"
	}
	request := call{method: http.MethodPost, path: "/api/jobs", body: s, key: newKey()}
	for _, each := range opts {
		each(&request)
	}
	var raw rawJSON
	if err := c.submit(ctx, s, request, &raw); err != nil {
		return nil, err
	}
	job, err := c.job(raw)
	if err == nil {
		c.held.add(job.ID)
		warnOf(job)
	}
	return job, err
}

// warnOf logs what the server warns of in a job that it has accepted; one of the release before names nothing.
func warnOf(job *Job) {
	var read struct {
		Warnings []Problem `json:"warnings"`
	}
	if json.Unmarshal(job.Raw, &read) != nil {
		return
	}
	for _, warning := range read.Warnings {
		slog.Warn(warning.Message, "job", job.ID, "code", warning.Code)
	}
}

// Check checks a job without submitting it: all problems, with line and column.
func (c *Client) Check(ctx context.Context, s Submission) (*DryRun, error) {
	query := url.Values{"dry_run": {"true"}}
	var found DryRun
	request := call{method: http.MethodPost, path: "/api/jobs", query: query, body: s, isRepeatable: true}
	if err := c.submit(ctx, s, request, &found); err != nil {
		return nil, err
	}
	return &found, nil
}

// Run submits a job and waits for its results.
func (c *Client) Run(ctx context.Context, s Submission) (*Result, error) {
	job, err := c.Submit(ctx, s)
	if err != nil {
		return nil, err
	}
	return job.Result(ctx)
}

func (c *Client) submit(ctx context.Context, s Submission, request call, result any) error {
	circuits, err := ordered(s.Circuits)
	if err != nil {
		return err
	}
	s.Circuits = circuits
	if request.token = c.transport.session; request.token == "" {
		s.QPU = firstOf(s.QPU, c.transport.qpu)
	}
	request.body = s
	if err := checkSize(s); err != nil {
		return err
	}
	return withPlaces(c.transport.request(ctx, request, result), s)
}

var (
	comment = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	input   = regexp.MustCompile(`(?:^|[;}])\s*input\s[^;]*?([\p{L}_][\p{L}\p{N}_]*)\s*;`)
)

// inputsOf returns the names of the inputs of a program in their order.
func inputsOf(program string) []string {
	names := []string{}
	for text := comment.ReplaceAllString(program, " "); ; {
		match := input.FindStringSubmatchIndex(text)
		if match == nil {
			return names
		}
		names = append(names, text[match[2]:match[3]])
		// The semicolon is the beginning of the next one.
		text = text[match[1]-1:]
	}
}

// ordered returns circuits whose named values are in the order of the inputs of their programs.
func ordered(circuits []Circuit) ([]Circuit, error) {
	found := slices.Clone(circuits)
	for at, circuit := range circuits {
		if circuit.NamedValues == nil {
			continue
		}
		if circuit.ParameterValues != nil {
			return nil, fmt.Errorf("circuit %d has both ParameterValues and NamedValues", at)
		}
		names := inputsOf(circuit.Circuit)
		for _, values := range circuit.NamedValues {
			set := make([]float64, len(names))
			for place, name := range names {
				value, isGiven := values[name]
				if !isGiven {
					return nil, fmt.Errorf("circuit %d: NamedValues has no value for the input %s", at, name)
				}
				set[place] = value
			}
			for name := range values {
				if !slices.Contains(names, name) {
					return nil, fmt.Errorf("circuit %d: the program has no input %s; its inputs are %s", at, name, strings.Join(names, ", "))
				}
			}
			found[at].ParameterValues = append(found[at].ParameterValues, set)
		}
	}
	return found, nil
}

func checkSize(s Submission) error {
	executions, size := 0, 0
	for _, circuit := range s.Circuits {
		executions += max(1, len(circuit.ParameterValues))
		size += len(circuit.Circuit)
	}
	if executions > maxExecutions {
		return tooLarge("The job has %d executions; at most %d are allowed: submit several jobs", executions, maxExecutions)
	}
	if size > maxBody {
		return tooLarge("The programs have %d bytes together; at most %d are allowed", size, maxBody)
	}
	return nil
}

func tooLarge(format string, numbers ...any) error {
	return &Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: fmt.Sprintf(format, numbers...)}
}

var circuitPath = regexp.MustCompile(`^circuits\.(\d+)\.circuit$`)

// withPlaces adds to the message of an error the place of each syntax error: its line with a caret below.
func withPlaces(err error, s Submission) error {
	var failure *Error
	if !errors.As(err, &failure) || !errors.Is(err, ErrInvalid) {
		return err
	}
	paths := make([]string, 0, len(failure.Fields))
	for path := range failure.Fields {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	placed := *failure
	for _, path := range paths {
		field := failure.Fields[path]
		program := ""
		if match := circuitPath.FindStringSubmatch(path); match != nil {
			if at, err := strconv.Atoi(match[1]); err == nil && at < len(s.Circuits) {
				program = s.Circuits[at].Circuit
			}
		}
		placed.Message += "\n" + path + ": " + field.Message + caret(program, field.Params)
	}
	return &placed
}

func caret(program string, params map[string]any) string {
	line, _ := params["line"].(float64)
	column, _ := params["column"].(float64)
	lines := strings.Split(program, "\n")
	if line < 1 || int(line) > len(lines) || column < 1 {
		return ""
	}
	return "\n  " + lines[int(line)-1] + "\n  " + strings.Repeat(" ", int(column)-1) + "^"
}

// newKey returns a random UUID (RFC 9562, version 4).
func newKey() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // The system has no random numbers: nothing works without them.
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// rawJSON is a response as it came.
type rawJSON = json.RawMessage
