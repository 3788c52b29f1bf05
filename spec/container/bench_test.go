package container_test

import (
	"fmt"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// bigProvider has n resources of typical size: eight inputs, three outputs, four
// operations, and about fifty nodes.
func bigProvider(n int) *spec.Provider {
	p := &spec.Provider{Metadata: spec.Metadata{Name: "big", Version: "1.0.0"}, Config: &spec.Type{Kind: spec.Object}}
	at := diag.Range{File: "big.cue", Start: diag.Position{Line: 120, Column: 9}, End: diag.Position{Line: 120, Column: 21}}
	object := func(n int) *spec.Type {
		t := &spec.Type{Kind: spec.Object}
		for i := range n {
			t.Fields = append(t.Fields, &spec.Property{
				Name: fmt.Sprintf("property%d", i), Doc: "What it is for.", Range: at, Required: i%2 == 0,
				Type: &spec.Type{Kind: spec.String, MinLen: 1, Patterns: []spec.Pattern{{Regexp: "^[a-z]+$"}}},
			})
		}
		return t
	}
	text := func(s string) *spec.Node {
		return &spec.Node{Kind: spec.StringNode, Text: s, Range: at, Marks: []spec.Mark{{Pos: at.Start}}}
	}
	operation := func() *spec.Operation {
		args := &spec.Node{Kind: spec.MapNode, Range: at}
		for i := range 10 {
			args.Fields = append(args.Fields, spec.Field{Name: fmt.Sprintf("arg%d", i), NameRange: at, Value: text("${inputs.path}/x")})
		}
		action := &spec.Node{Kind: spec.MapNode, Range: at, Fields: []spec.Field{{Name: "write", NameRange: at, Value: args}}}
		return &spec.Operation{Range: at, Steps: []*spec.Step{{Range: at, Actions: []spec.Field{{Name: "file", NameRange: at, Value: action}}}}}
	}
	for i := range n {
		p.Resources = append(p.Resources, &spec.Resource{
			Name: fmt.Sprintf("Res%d", i), Doc: "A resource.", Range: at, Inputs: object(8), Outputs: object(3), ID: text("${inputs.path}"),
			Create: operation(), Read: operation(), Update: operation(), Delete: operation(),
		})
	}
	return p
}

func BenchmarkOpenAndOneResource(b *testing.B) {
	for _, n := range []int{3, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			whole := encode(b, bigProvider(n))
			b.ReportAllocs()
			for b.Loop() {
				c, err := container.OpenBytes(whole)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := c.Resource("Res1"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(whole))/float64(n), "B/resource")
		})
	}
}

func BenchmarkResource(b *testing.B) {
	c, err := container.OpenBytes(encode(b, bigProvider(3)))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Resource("Res1"); err != nil {
			b.Fatal(err)
		}
	}
}
