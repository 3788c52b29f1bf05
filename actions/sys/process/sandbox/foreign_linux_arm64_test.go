package sandbox

// foreignCalls are none: this architecture has no calls by other numbers, and none that others lack.
func foreignCalls() map[string]func(args []string) error { return nil }
