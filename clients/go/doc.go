// Package svc is a client of svc, the quantum job control service.
//
//	c, err := svc.New("")
//	job, err := c.Submit(ctx, svc.Submission{Circuits: []svc.Circuit{{Circuit: bell}}, Shots: 1000})
//	result, err := job.Result(ctx)
//	fmt.Println(result.Circuits[0].Counts)
//
// A Client is safe for any number of goroutines. Contexts are the only limit of a wait: lost connections and
// restarts of the server do not end it. Errors of the server are of type *Error; errors.Is tells them apart by
// ErrNotFound, ErrInsufficientTime and the like. Errors without a response are of type *ConnectionError.
package svc
