package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	svc "svc.example/clients/go"
)

// args are what calls take; each takes some of it.
type args struct {
	ID             string                `json:"id"`
	Name           string                `json:"name"`
	Circuits       []json.RawMessage     `json:"circuits"`
	IdempotencyKey string                `json:"idempotency_key"`
	Timeout        *float64              `json:"timeout"`
	Circuit        int                   `json:"circuit"`
	Bits           []int                 `json:"bits"`
	PauliZ         string                `json:"pauli_z"`
	Start          time.Time             `json:"start"`
	End            time.Time             `json:"end"`
	QPU            string                `json:"qpu"`
	Collection     string                `json:"collection"`
	Options        map[string]any        `json:"options"`
	Body           json.RawMessage       `json:"body"`
	User           string                `json:"user"`
	QPUSeconds     float64               `json:"qpu_seconds"`
	Reason         string                `json:"reason"`
	Shots          int                   `json:"shots"`
	MeasLevel      *int                  `json:"meas_level"`
	MeasReturn     string                `json:"meas_return"`
	Memory         bool                  `json:"memory"`
	Seed           *int64                `json:"seed"`
	MaxSeconds     float64               `json:"max_seconds"`
	Precision      string                `json:"precision"`
	Require        *svc.QualityCondition `json:"require"`
	GiveUpAfter    string                `json:"give_up_after"`
	Seconds        int                   `json:"seconds"`
	IdleSeconds    int                   `json:"idle_seconds"`
	Mode           string                `json:"mode"`
	Holder         *svc.SessionHolder    `json:"holder"`
	Tags           []string              `json:"tags"`
}

type performer func(ctx context.Context, c *svc.Client, a args) (any, error)

var calls = map[string]performer{
	"submit_job": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		s, err := submissionOf(a)
		if err != nil {
			return nil, err
		}
		return jobOf(c.Submit(ctx, s, keyOf(a)...))
	},
	"check_job": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		s, err := submissionOf(a)
		if err != nil {
			return nil, err
		}
		return c.Check(ctx, s)
	},
	"job": func(ctx context.Context, c *svc.Client, a args) (any, error) { return jobOf(c.Job(ctx, a.ID)) },
	"job.calibration": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		job, err := c.Job(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		return job.Calibration, nil
	},
	"job.partial_results": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		job, err := c.Job(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		found, err := job.PartialResults(ctx)
		if err != nil {
			return nil, err
		}
		counts := map[int]map[string]int{}
		for at, circuit := range found.Circuits {
			counts[at] = circuit.Counts
		}
		return map[string]any{"attempt": found.Attempt, "progress": found.Progress, "complete": found.Complete, "counts": counts}, nil
	},
	"jobs": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		list := []any{}
		for job, err := range c.Jobs(ctx, filterOf(a.Options)) {
			if err != nil {
				return nil, err
			}
			list = append(list, plainJob(job))
		}
		return list, nil
	},
	"resume": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return jobOf(c.Resume(ctx, a.IdempotencyKey))
	},
	"cancel_job": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		job, err := c.Job(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		return jobOf(job.Cancel(ctx))
	},
	"wait": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		job, err := c.Job(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		if a.Timeout != nil {
			limited, cancel := context.WithTimeout(ctx, time.Duration(*a.Timeout*float64(time.Second)))
			defer cancel()
			ctx = limited
		}
		return jobOf(job.Wait(ctx))
	},
	"result": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		result, err := resultOf(ctx, c, a)
		if err != nil {
			return nil, err
		}
		return plainResult(result), nil
	},
	"result.warns": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		var log bytes.Buffer
		before := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		defer slog.SetDefault(before)
		_, err := resultOf(ctx, c, a)
		return strings.Contains(log.String(), a.Reason), err
	},
	"result.register": ofCircuit(func(r *svc.CircuitResult, a args) (any, error) { return r.Register(a.Name) }),
	"result.marginal": ofCircuit(func(r *svc.CircuitResult, a args) (any, error) { return r.Marginal(a.Bits...) }),
	"result.probabilities": ofCircuit(func(r *svc.CircuitResult, _ args) (any, error) {
		return r.Probabilities(), nil
	}),
	"result.expectation": ofCircuit(func(r *svc.CircuitResult, a args) (any, error) {
		value, standardError, err := r.Expectation(a.PauliZ)
		return map[string]float64{"value": value, "error": standardError}, err
	}),
	"qpus": func(ctx context.Context, c *svc.Client, _ args) (any, error) { return c.QPUs(ctx) },
	"qpu":  func(ctx context.Context, c *svc.Client, a args) (any, error) { return c.QPU(ctx, a.Name) },
	"me":   func(ctx context.Context, c *svc.Client, _ args) (any, error) { return c.Me(ctx) },
	"schedule": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Schedule(ctx, a.Start, a.End)
	},
	"book": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Book(ctx, a.QPU, a.Start, a.End)
	},
	"sessions.start": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Sessions().Start(ctx, a.QPU, svc.SessionOptions{
			Seconds: a.Seconds, IdleSeconds: a.IdleSeconds, Mode: a.Mode, Holder: a.Holder, IdempotencyKey: a.IdempotencyKey,
		})
	},
	"sessions.list": func(ctx context.Context, c *svc.Client, _ args) (any, error) {
		return c.Sessions().List(ctx, "", "", 0)
	},
	"sessions.get": func(ctx context.Context, c *svc.Client, a args) (any, error) { return c.Sessions().Get(ctx, a.ID) },
	"sessions.extend": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Sessions().Extend(ctx, a.ID, a.Seconds)
	},
	"sessions.end": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Sessions().End(ctx, a.ID, "", "")
	},
	"sessions.wait": func(ctx context.Context, c *svc.Client, a args) (any, error) { return c.Sessions().Wait(ctx, a.ID) },
	"tokens.list":   func(ctx context.Context, c *svc.Client, _ args) (any, error) { return c.Tokens().List(ctx) },
	"tokens.create": withBody(func(ctx context.Context, c *svc.Client, _ args, o svc.TokenOptions) (any, error) {
		return c.Tokens().Create(ctx, o)
	}),
	"tokens.update": withBody(func(ctx context.Context, c *svc.Client, a args, o svc.TokenChange) (any, error) {
		return c.Tokens().Update(ctx, a.ID, o)
	}),
	"tokens.delete": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return nil, c.Tokens().Delete(ctx, a.ID)
	},
	"admin.create_qpu": withBody(func(ctx context.Context, c *svc.Client, _ args, o svc.QPURegistration) (any, error) {
		return c.Admin().CreateQPU(ctx, o)
	}),
	"admin.toggle_qpu": withBody(func(ctx context.Context, c *svc.Client, _ args, o svc.QPUToggle) (any, error) {
		return c.Admin().ToggleQPU(ctx, o)
	}),
	"admin.delete_qpu": withBody(func(ctx context.Context, c *svc.Client, _ args, o svc.QPUDeletion) (any, error) {
		return c.Admin().DeleteQPU(ctx, o)
	}),
	"admin.set_maintenance": withBody(func(ctx context.Context, c *svc.Client, _ args, o svc.MaintenanceOptions) (any, error) {
		return c.Admin().SetMaintenance(ctx, o)
	}),
	"admin.drain": withBody(func(ctx context.Context, c *svc.Client, _ args, o svc.DrainOptions) (any, error) {
		return c.Admin().Drain(ctx, o)
	}),
	"admin.create_driver": withBody(func(ctx context.Context, c *svc.Client, _ args, o svc.DriverOptions) (any, error) {
		return c.Admin().CreateDriver(ctx, o)
	}),
	"admin.toggle_driver": withBody(func(ctx context.Context, c *svc.Client, _ args, o svc.DriverToggle) (any, error) {
		return c.Admin().ToggleDriver(ctx, o)
	}),
	"admin.calibrate": withBody(func(ctx context.Context, c *svc.Client, a args, o svc.CalibrationOptions) (any, error) {
		return c.Admin().Calibrate(ctx, o, keyOf(a)...)
	}),
	"admin.hold": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Admin().Hold(ctx, a.ID, a.Reason)
	},
	"admin.release": func(ctx context.Context, c *svc.Client, a args) (any, error) { return c.Admin().Release(ctx, a.ID) },
	"admin.run_next": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Admin().RunNext(ctx, a.ID)
	},
	"admin.move": withBody(func(ctx context.Context, c *svc.Client, a args, o svc.MoveOptions) (any, error) {
		return c.Admin().Move(ctx, a.ID, o)
	}),
	"admin.requeue": withBody(func(ctx context.Context, c *svc.Client, a args, o svc.RequeueOptions) (any, error) {
		return c.Admin().Requeue(ctx, a.ID, o)
	}),
	"admin.set_balance": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Admin().SetBalance(ctx, a.User, a.QPUSeconds)
	},
	"collection.list": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Collection(a.Collection).List(ctx, listOf(a.Options))
	},
	"collection.get": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Collection(a.Collection).Get(ctx, a.ID)
	},
	"collection.create": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Collection(a.Collection).Create(ctx, a.Body)
	},
	"collection.update": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return c.Collection(a.Collection).Update(ctx, a.ID, a.Body)
	},
	"collection.delete": func(ctx context.Context, c *svc.Client, a args) (any, error) {
		return nil, c.Collection(a.Collection).Delete(ctx, a.ID)
	},
}

func withBody[T any](call func(context.Context, *svc.Client, args, T) (any, error)) performer {
	return func(ctx context.Context, c *svc.Client, a args) (any, error) {
		var body T
		if a.Body != nil {
			if err := json.Unmarshal(a.Body, &body); err != nil {
				return nil, err
			}
		}
		return call(ctx, c, a, body)
	}
}

func ofCircuit(call func(*svc.CircuitResult, args) (any, error)) performer {
	return func(ctx context.Context, c *svc.Client, a args) (any, error) {
		result, err := resultOf(ctx, c, a)
		if err != nil {
			return nil, err
		}
		if a.Circuit >= len(result.Circuits) {
			return nil, fmt.Errorf("the case has no circuit %d", a.Circuit)
		}
		return call(&result.Circuits[a.Circuit], a)
	}
}

func resultOf(ctx context.Context, c *svc.Client, a args) (*svc.Result, error) {
	job, err := c.Job(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	return job.Result(ctx)
}

func jobOf(job *svc.Job, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return plainJob(job), nil
}

func submissionOf(a args) (svc.Submission, error) {
	s := svc.Submission{
		Shots: a.Shots, QPU: a.QPU, MeasLevel: a.MeasLevel, MeasReturn: a.MeasReturn, Memory: a.Memory, Seed: a.Seed,
		Name: a.Name, Tags: a.Tags, MaxSeconds: a.MaxSeconds, Precision: a.Precision,
		Require: a.Require, GiveUpAfter: a.GiveUpAfter,
	}
	for _, raw := range a.Circuits {
		circuit, err := circuitOf(raw)
		if err != nil {
			return s, err
		}
		s.Circuits = append(s.Circuits, circuit)
	}
	return s, nil
}

// circuitOf reads a circuit: its program as text, or an object, whose values may be one set or several.
func circuitOf(raw json.RawMessage) (svc.Circuit, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return svc.Circuit{Circuit: text}, nil
	}
	var given struct {
		Circuit         string          `json:"circuit"`
		ParameterValues json.RawMessage `json:"parameter_values"`
		Shots           int             `json:"shots"`
		Name            string          `json:"name"`
		Metadata        map[string]any  `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &given); err != nil {
		return svc.Circuit{}, err
	}
	circuit := svc.Circuit{Circuit: given.Circuit, Shots: given.Shots, Name: given.Name, Metadata: given.Metadata}
	if given.ParameterValues == nil {
		return circuit, nil
	}
	var one []float64
	if json.Unmarshal(given.ParameterValues, &one) == nil {
		circuit.ParameterValues = [][]float64{one}
		return circuit, nil
	}
	return circuit, json.Unmarshal(given.ParameterValues, &circuit.ParameterValues)
}

func keyOf(a args) []svc.CallOption {
	if a.IdempotencyKey == "" {
		return nil
	}
	return []svc.CallOption{svc.WithIdempotencyKey(a.IdempotencyKey)}
}

func filterOf(options map[string]any) svc.JobFilter {
	text := func(name string) string { value, _ := options[name].(string); return value }
	limit, _ := options["limit"].(float64)
	return svc.JobFilter{
		Status: svc.Status(text("status")), QPU: text("qpu"), Tag: text("tag"),
		Calibration: text("calibration"), Before: text("before"), Limit: int(limit),
	}
}

func listOf(options map[string]any) svc.ListOptions {
	text := func(name string) string { value, _ := options[name].(string); return value }
	number := func(name string) int { value, _ := options[name].(float64); return int(value) }
	return svc.ListOptions{
		Filter: text("filter"), Sort: text("sort"), Expand: text("expand"), Fields: text("fields"),
		Page: number("page"), PerPage: number("perPage"),
	}
}
