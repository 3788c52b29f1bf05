package schema

import (
	"bytes"
	"encoding/json"
	"errors"
)

type parameterization struct {
	BaseProvider baseProvider `json:"baseProvider"`
	// Parameter is written as base64.
	Parameter []byte `json:"parameter"`
}

type baseProvider struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Parameterized is the Pulumi schema of a package that the provider of that name
// and version serves when it is given the parameter. It is added when a schema
// is asked for, because the parameter is the compiled spec, which holds the
// schema.
func Parameterized(text []byte, name, version string, parameter []byte) ([]byte, error) {
	block, err := json.Marshal(parameterization{baseProvider{name, version}, parameter})
	if err != nil {
		return nil, err
	}
	open, ok := bytes.CutSuffix(bytes.TrimSpace(text), []byte("}"))
	if !ok || len(open) < 2 {
		return nil, errors.New("what is to be parameterized is no schema")
	}
	out := make([]byte, 0, len(open)+len(block)+len(`,"parameterization":}`))
	out = append(append(out, open...), `,"parameterization":`...)
	return append(append(out, block...), '}'), nil
}
