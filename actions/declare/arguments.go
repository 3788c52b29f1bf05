package declare

import (
	"encoding/json"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// Arg returns an optional argument.
func Arg(name string, t *spec.Type, doc string) actions.Arg {
	return actions.Arg{Property: spec.Property{Name: name, Type: t, Doc: doc}}
}

// Option returns an argument that has a default.
func Option(name string, t *spec.Type, byDefault any, doc string) actions.Arg {
	a := Arg(name, t, doc)
	a.Default = byDefault
	return a
}

// MaxBytes returns the argument that bounds how many bytes an action reads.
func MaxBytes(doc string) actions.Arg {
	return Option("maxBytes", Either(Int(), Matching(sizePattern)), defaultMaxBytes, doc)
}

// MaxValues returns the argument that bounds how many values an action reads. Its value is
// read by Call.MaxValues.
func MaxValues(doc string) actions.Arg {
	return Option(actions.MaxValues, Between("1", "1000000000"), json.Number("1000000"), doc)
}
