package actions

// Files is the file system as far as a spec's permissions reach.
type Files struct{}
