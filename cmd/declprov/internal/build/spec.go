package build

// Spec identifies a spec, with the values to evaluate it with.
type Spec struct {
	// Path is a file or the folder of a package; "-" is Stdin.
	Path  string `json:"path"`
	Stdin []byte `json:"stdin,omitempty"`
	// Format is the format of Stdin: cue, yaml or json; "" is cue.
	Format string `json:"format,omitempty"`
	// Tags are CUE's `@tag` values, as key=value.
	Tags []string `json:"tags,omitempty"`
	// Replaced are contents to evaluate in place of those on disk, by the paths of
	// diagnostics. The result is not cached.
	Replaced map[string][]byte `json:"replaced,omitempty"`
	// Dir is the folder that relative paths start at; "" is the working directory.
	Dir string `json:"-"`
}

// stdinName is the name of a spec from standard input.
const stdinName = "<stdin>"

// Name returns the name of the spec for messages.
func (s Spec) Name() string {
	if s.Path == "-" {
		return stdinName
	}
	return s.Path
}

func (s Spec) String() string { return s.Name() }
