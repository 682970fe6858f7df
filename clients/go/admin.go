package svc

import (
	"context"
	"net/http"
	"net/url"

	"svc.example/clients/go/internal/wire"
)

// Admin has what superusers do: QPUs, drivers, the queue, calibrations and balances.
type Admin struct{ transport *transport }

// CreateQPU registers a QPU with its process driver; the access token is in this response only.
func (a *Admin) CreateQPU(ctx context.Context, o QPURegistration) (*wire.QpuRegistration, error) {
	return post[wire.QpuRegistration](ctx, a, "qpus/create", o)
}

// ToggleQPU enables or disables a QPU.
func (a *Admin) ToggleQPU(ctx context.Context, o QPUToggle) (*wire.QpuSwitch, error) {
	return post[wire.QpuSwitch](ctx, a, "qpu/toggle", o)
}

// DeleteQPU deletes a QPU.
func (a *Admin) DeleteQPU(ctx context.Context, o QPUDeletion) (*wire.QpuContents, error) {
	return post[wire.QpuContents](ctx, a, "qpu/delete", o)
}

// SetMaintenance begins or ends maintenance: jobs wait meanwhile.
func (a *Admin) SetMaintenance(ctx context.Context, o MaintenanceOptions) (*wire.Qpu, error) {
	return post[wire.Qpu](ctx, a, "qpu/maintenance", o)
}

// Drain lets a QPU take no further job, or take jobs again.
func (a *Admin) Drain(ctx context.Context, o DrainOptions) (*wire.DrainedQpu, error) {
	return post[wire.DrainedQpu](ctx, a, "qpu/drain", o)
}

// CreateDriver registers a driver; the access token is in this response only.
func (a *Admin) CreateDriver(ctx context.Context, o DriverOptions) (*wire.DriverRegistration, error) {
	return post[wire.DriverRegistration](ctx, a, "drivers/create", o)
}

// ToggleDriver enables or disables a driver.
func (a *Admin) ToggleDriver(ctx context.Context, o DriverToggle) (*wire.DriverSwitch, error) {
	return post[wire.DriverSwitch](ctx, a, "drivers/toggle", o)
}

// Calibrate queues a calibration; the same key queues it once.
func (a *Admin) Calibrate(ctx context.Context, o CalibrationOptions, opts ...CallOption) (*wire.CalibrationRequest, error) {
	return a.dispatch(ctx, o, opts)
}

// ResumeCalibration continues a calibration that was stopped or failed, without its finished steps.
func (a *Admin) ResumeCalibration(ctx context.Context, id string, opts ...CallOption) (*wire.CalibrationRequest, error) {
	return a.dispatch(ctx, map[string]string{"resume": id}, opts)
}

func (a *Admin) dispatch(ctx context.Context, body any, opts []CallOption) (*wire.CalibrationRequest, error) {
	request := call{method: http.MethodPost, path: "/api/op/calibrate/dispatch", body: body, key: newKey()}
	for _, each := range opts {
		each(&request)
	}
	var made wire.CalibrationRequest
	err := a.transport.request(ctx, request, &made)
	return &made, err
}

// Hold keeps a pending job from running.
func (a *Admin) Hold(ctx context.Context, job, reason string) (*wire.Job, error) {
	return a.ofJob(ctx, job, "hold", map[string]string{"reason": reason})
}

// Release ends a hold.
func (a *Admin) Release(ctx context.Context, job string) (*wire.Job, error) {
	return a.ofJob(ctx, job, "release", struct{}{})
}

// RunNext lets a pending job run before all others.
func (a *Admin) RunNext(ctx context.Context, job string) (*wire.Job, error) {
	return a.ofJob(ctx, job, "run-next", struct{}{})
}

// Requeue queues a job again.
func (a *Admin) Requeue(ctx context.Context, job string, o RequeueOptions) (*wire.Job, error) {
	return a.ofJob(ctx, job, "requeue", o)
}

// Move moves a pending job to another QPU.
func (a *Admin) Move(ctx context.Context, job string, o MoveOptions) (*wire.Job, error) {
	return a.ofJob(ctx, job, "move", o)
}

// SetBalance sets the balance of a user in QPU seconds.
func (a *Admin) SetBalance(ctx context.Context, user string, seconds float64) (*wire.User, error) {
	path := "/api/admin/users/" + url.PathEscape(user)
	body := map[string]float64{"qpu_seconds": seconds}
	var changed wire.User
	err := a.transport.request(ctx, call{method: http.MethodPatch, path: path, body: body, isRepeatable: true}, &changed)
	return &changed, err
}

func (a *Admin) ofJob(ctx context.Context, job, action string, body any) (*wire.Job, error) {
	return post[wire.Job](ctx, a, "jobs/"+url.PathEscape(job)+"/"+action, body)
}

func post[T any](ctx context.Context, a *Admin, name string, body any) (*T, error) {
	var response T
	err := a.transport.request(ctx, call{method: http.MethodPost, path: "/api/op/" + name, body: body}, &response)
	return &response, err
}
