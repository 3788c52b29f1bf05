package run

import "github.com/declprov/declprov/engine/run/request"

// The requests to resources, and their results.
type (
	Result        = request.Result
	CreateRequest = request.Create
	UpdateRequest = request.Update
	ReadRequest   = request.Read
	ReadReason    = request.ReadReason
	DeleteRequest = request.Delete
	SettleRequest = request.Settle
	Settled       = request.Settled
)

// The reasons for a read.
const (
	Refresh = request.Refresh
	Import  = request.Import
	Lookup  = request.Lookup
)
