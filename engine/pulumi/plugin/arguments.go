package plugin

import "strings"

// ParseArgs returns the address of Pulumi's engine from the arguments with which Pulumi starts
// a plugin: `[--logtostderr] [-v=N] [--tracing URL] ENGINE_ADDRESS`. It returns "" if
// there is none; engines of Pulumi then attach. It ignores unknown flags, because newer versions of Pulumi
// may pass more.
func ParseArgs(args []string) (engineAddress string) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--tracing" || arg == "-tracing" || arg == "-v" || arg == "--v":
			i++ // its value
		case strings.HasPrefix(arg, "-"):
		default:
			engineAddress = arg
		}
	}
	return engineAddress
}
