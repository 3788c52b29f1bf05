package recorded

import (
	"encoding/json"
	"slices"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
)

// DescribeOther names the settings of a recorded configuration that differ from those of now. Neither has
// secrets.
func DescribeOther(then, now json.RawMessage) string {
	before, errBefore := value.DecodeRecorded(then)
	after, errAfter := value.DecodeRecorded(now)
	if errBefore != nil || errAfter != nil {
		return "other values"
	}
	var names []string
	for name, v := range before.AllStable {
		if !value.PlainEqual(v, after.Get(name)) {
			names = append(names, name)
		}
	}
	for name := range after.AllStable {
		if _, given := before.GetOk(name); !given {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "other values" // one that is secret now was not then, or the reverse
	}
	return "another value of " + diag.And(names)
}
