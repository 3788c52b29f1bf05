package pulumi

import "strings"

// ParseArgs finds the engine's address among the arguments that Pulumi starts a
// plugin with: `[--logtostderr] [-v=N] [--tracing URL] ENGINE_ADDRESS`. Without
// one, engines are expected to attach. Flags that it does not know are passed
// over, since newer engines may have more of them.
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
