package compare

// difference is one that is meant, with the reason.
type difference struct {
	observation
	why string
}

// oursAlone are the recorded properties that the guide's provider does not
// have; the comparison leaves them out.
func oursAlone() []string { return []string{"mode", "sha256", "size"} }

// differences are where the guide's provider and ours are meant to differ.
func differences() []difference {
	return []difference{}
}
