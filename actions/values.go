package actions

import (
	"cmp"
	"encoding/json"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

// maxValues is the name of the argument that MaxValues declares.
const maxValues = "maxValues"

// MaxValues declares the argument that bounds how many values an action reads.
func MaxValues(doc string) Arg {
	most := &spec.Type{Kind: spec.Int, Min: &spec.Bound{Value: json.Number("1")}, Max: &spec.Bound{Value: json.Number("1000000000")}}
	return Arg{Property: spec.Property{Name: maxValues, Type: most, Default: json.Number("1000000"), Doc: doc}}
}

// ValuesOf returns how many values a call may read.
func ValuesOf(call *Call) int {
	if most, ok := call.Args[maxValues].(int64); ok && most > 0 {
		return int(most)
	}
	return cmp.Or(call.Values, decode.DefaultValues)
}
