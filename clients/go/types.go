package svc

import "svc.example/clients/go/internal/wire"

// What the server sends and receives, field by field. The reference of the routes describes each.
type (
	// JobWire is a job as the server sends it, from a list without the details.
	JobWire = wire.JobDetail
	// Waiting says why a job waits: Text for people, Code for programs.
	Waiting = wire.JobWaiting
	// JobError says why a job has failed.
	JobError = wire.JobError
	// Calibration is what was in force when an attempt of a job began and when it ended.
	Calibration = wire.AttemptCalibration
	// RecallMark says why the result of a job is not to be relied on.
	RecallMark = wire.RecallMark
	// JobEstimate is what was expected of a job at its submission: ranges that hold four times in five.
	JobEstimate = wire.JobEstimate
	// Step is one event of a job.
	Step = wire.TimelineStep
	// DryRun is what a check of a job has found.
	DryRun = wire.DryRun
	// Problem is a mistake in a program, with its place.
	Problem = wire.Problem
	// QPU is a QPU with its state and queue.
	QPU = wire.QpuSummary
	// QPUDetail is a QPU with the description of its device: qubits, gates and errors.
	QPUDetail = wire.QpuDetail
	// BusyTime is a time in which a QPU is occupied.
	BusyTime = wire.BusyTime
	// Slot is a booked time.
	Slot = wire.Slot
	// Session is a QPU that is held for the account without a booking.
	Session = wire.Session
	// StartedSession is a session with the secret of a new holder.
	StartedSession = wire.StartedSession
	// Me is the account of the token, with its balance and limits.
	Me = wire.Me
	// Token is an API token without its text.
	Token = wire.ApiToken
	// NewToken is an API token with its text.
	NewToken = wire.NewApiToken
	// FieldError says what is wrong with one field of a request.
	FieldError = wire.FieldError
)

// Bodies of requests.
type (
	// TokenOptions are the fields of a new API token.
	TokenOptions = wire.PostTokensBody
	// SessionHolder is what holds a session.
	SessionHolder = wire.PostSessionsBodyHolder
	// TokenChange are the fields of an API token that change.
	TokenChange = wire.PatchTokensByIdBody
	// QPURegistration are the fields of a new QPU.
	QPURegistration = wire.PostOpQpusCreateBody
	// QPUToggle enables or disables a QPU.
	QPUToggle = wire.PostOpQpuToggleBody
	// QPUDeletion names a QPU to delete.
	QPUDeletion = wire.PostOpQpuDeleteBody
	// MaintenanceOptions begin or end maintenance.
	MaintenanceOptions = wire.PostOpQpuMaintenanceBody
	// DrainOptions begin or end draining.
	DrainOptions = wire.PostOpQpuDrainBody
	// DriverOptions are the fields of a new driver.
	DriverOptions = wire.PostOpDriversCreateBody
	// DriverToggle enables or disables a driver.
	DriverToggle = wire.PostOpDriversToggleBody
	// MoveOptions name the QPU of a moved job.
	MoveOptions = wire.PostOpJobsByIdMoveBody
	// RequeueOptions are those of a job that is queued again.
	RequeueOptions = wire.PostOpJobsByIdRequeueBody
)

// CalibrationOptions say what a tuner calibrates.
type CalibrationOptions struct {
	DriverID string `json:"driver_id"`
	// Mode is fidelity_check, partial or full.
	Mode string `json:"mode"`
	// TargetQubits are qubits and edges; with mode partial only.
	TargetQubits []string `json:"target_qubits,omitempty"`
}
