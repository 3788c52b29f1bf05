package pulumi

// ReadReasonOf is readReason, for tests.
var ReadReasonOf = readReason
