package process

import "os"

// Only this file reads the environment of the provider; a test in tests/house checks that
// nothing else in the engine or the actions does. A spec sees the variables that
// `permissions: env` and @env grant. Programs grants access to PATH, HOME and the ssh-agent.

// Environment returns the environment of the provider, as NewPrograms takes it.
func Environment() []string { return os.Environ() }

// Variable returns a variable of the provider's environment: one that @env names, or a
// setting of the provider itself.
func Variable(name string) string { return os.Getenv(name) }
