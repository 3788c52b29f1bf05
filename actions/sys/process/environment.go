package process

import "os"

// What a provider's own environment is to a spec is decided here and in Programs, and a
// test of the house sees that nothing else in the engine or the actions reads it. Of the
// variables a spec sees what `permissions: env` and @env grant; PATH, HOME and the ssh-agent
// are behind Programs.

// Environment is that of the provider, as NewPrograms takes it.
func Environment() []string { return os.Environ() }

// Variable is one of the provider's environment: of a setting marked by @env, or of the
// provider's own settings.
func Variable(name string) string { return os.Getenv(name) }
