package spec

import "github.com/declprov/declprov/spec/diag"

// Ephemeral is a value that is opened, perhaps renewed, and closed, and never
// stored.
type Ephemeral struct {
	Name               string
	Doc                string
	Range              diag.Range
	Inputs, Outputs    *Type
	Open, Renew, Close *Operation
	RenewAfter         *Node
}

// Opener is the function that stands for an ephemeral where a host has none: it
// opens one, and all that it yields is secret.
func (e *Ephemeral) Opener() *Function {
	outputs := *e.Outputs
	outputs.Fields = make([]*Property, len(e.Outputs.Fields))
	for i, p := range e.Outputs.Fields {
		hidden := *p
		hidden.Secret = true
		outputs.Fields[i] = &hidden
	}
	return &Function{
		Name: "open" + e.Name, Doc: e.Doc, Range: e.Range, Inputs: e.Inputs, Outputs: &outputs, Operation: e.Open,
	}
}
