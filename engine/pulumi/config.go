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

// isHostKey reports whether a key among a provider's inputs belongs to Pulumi. Such a
// key is not passed to the spec, and is returned unchanged.
func isHostKey(program *engine.Program, key string) bool {
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

// readConfig separates a provider's inputs into the settings of the spec and the keys
// of Pulumi.
func readConfig(program *engine.Program, s *structpb.Struct) (settings, hosts property.Map, err error) {
	all, err := wire.Decode(s)
	if err != nil {
		return property.Map{}, property.Map{}, err
	}
	hostValues := map[string]property.Value{}
	for k, v := range all.All {
		if isHostKey(program, k) {
			hostValues[k] = v
		}
	}
	return all.Delete(slices.Collect(maps.Keys(hostValues))...), property.NewMap(hostValues), nil
}
