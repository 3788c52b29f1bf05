package build

// Spec says which spec, and what to evaluate it with.
type Spec struct {
	// Path is a file or a package's folder; "-" is Stdin.
	Path  string `json:"path"`
	Stdin []byte `json:"stdin,omitempty"`
	// Format is that of Stdin: cue, yaml or json; "" is cue.
	Format string `json:"format,omitempty"`
	// Tags are CUE's `@tag` values, as key=value.
	Tags []string `json:"tags,omitempty"`
	// Dir is the folder that a relative path starts at; "" is this process's.
	Dir string `json:"-"`
}

// stdinName is what a spec from standard input is called.
const stdinName = "<stdin>"

// Name is the spec's for people.
func (s Spec) Name() string {
	if s.Path == "-" {
		return stdinName
	}
	return s.Path
}

func (s Spec) String() string { return s.Name() }
