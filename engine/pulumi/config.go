package pulumi

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// hostKey reports whether a key among a provider's inputs is Pulumi's own. Such
// a key is none of the spec's business, and has to come back as it went.
func hostKey(program *engine.Program, key string) bool {
	switch {
	case key == "version", strings.HasPrefix(key, "__"):
		return true
	case key == "pluginDownloadURL":
		declared, _ := program.Config()
		return declared.Field(key) == nil
	default:
		return false
	}
}

// readConfig reads a provider's inputs: the spec's settings, and beside them
// what is Pulumi's.
func readConfig(program *engine.Program, s *structpb.Struct) (settings, hosts property.Map, err error) {
	all, err := wire.Decode(s)
	if err != nil {
		return property.Map{}, property.Map{}, err
	}
	theirs := map[string]property.Value{}
	for k, v := range all.All {
		if hostKey(program, k) {
			theirs[k] = v
		}
	}
	return all.Delete(slices.Collect(maps.Keys(theirs))...), property.NewMap(theirs), nil
}
