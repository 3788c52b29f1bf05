package engine

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// Program is a compiled spec with what its engines share: safe for concurrent use.
type Program struct {
	*plan.Program
	locks operation.Locks
}

// Compile checks a whole spec, and compiles it. The program is usable only where the list
// has no errors.
func Compile(p *spec.Provider, families []*actions.Family) (*Program, diag.List) {
	compiled, found := compile.Compile(p, families)
	return &Program{Program: compiled}, found
}

// Open serves a container. What is in one has passed Compile before, so each
// resource is decoded and compiled only when it is first used. families returns those that a spec
// may use.
func Open(ct *container.Container, families func(*spec.Provider) []*actions.Family) (*Program, error) {
	compiled, err := compile.Open(ct, families)
	if err != nil {
		return nil, err
	}
	return &Program{Program: compiled}, nil
}
