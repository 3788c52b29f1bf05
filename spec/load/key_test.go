package load

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
)

// toy is the model of a block that is not part of the language.
type toy struct {
	Colour *spec.Node
	Loud   bool
}

// A key is declared in one place: from there it is read, checked, and shown in the
// schema.
func TestOneDeclarationMakesAKey(t *testing.T) {
	declared := &block.Block{What: "a toy", Keys: []block.Key{
		{Name: "colour", Kind: block.Template, Doc: "What it looks like.", Required: true, Example: `colour: "red"`, Into: func(m any) any { return &m.(*toy).Colour }},
		{Name: "loud", Kind: block.Bool, Doc: "Whether it is heard.", Into: func(m any) any { return &m.(*toy).Loud }},
	}}
	if schema := declared.Fields(); !strings.Contains(schema, "// What it looks like.\n\tcolour!: #Text\n") || !strings.Contains(schema, "loud?: bool\n") {
		t.Errorf("the schema has %s", schema)
	}
	for src, want := range map[string]struct {
		model toy
		codes []string
	}{
		`toy: {colour: "${inputs.colour}", loud: true}`: {model: toy{Colour: &spec.Node{Kind: spec.StringNode, Text: "${inputs.colour}"}, Loud: true}},
		`toy: loud: false`:                  {codes: []string{source.CodeMissingKey}},
		`toy: {colour: "red", loud: "yes"}`: {model: toy{Colour: &spec.Node{Kind: spec.StringNode, Text: "red"}}, codes: []string{source.CodeWrongShape}},
		`toy: color: "red"`:                 {codes: []string{source.CodeUnknownKey}},
		`toy: colour: string`:               {model: toy{Colour: &spec.Node{}}, codes: []string{source.CodeTypeAsValue}},
	} {
		t.Run(src, func(t *testing.T) {
			l := newLoader(spec.Types{})
			value, ok := l.evaluate(t.Context(), Source{Path: "-", Format: "cue", Stdin: []byte(src)})
			defer func() { _ = l.Close() }()
			if !ok {
				t.Fatal(l.Diags)
			}
			var got toy
			for _, m := range l.Members(walk.Item{Value: value, Decl: l.Syntax.Root, At: l.Start()}) {
				b, ok := l.openSection(m, source.Place{Path: "toy"}, declared, nil)
				if !ok {
					t.Fatal(l.Diags)
				}
				l.fill(b, &got)
			}
			if diff := cmp.Diff(want.model, got, cmpopts.IgnoreTypes(diag.Range{}, []spec.Mark(nil))); diff != "" {
				t.Errorf("the model (-want +got):\n%s", diff)
			}
			var codes []string
			for _, d := range l.Diags {
				codes = append(codes, d.Code)
			}
			if diff := cmp.Diff(want.codes, codes); diff != "" {
				t.Errorf("the codes (-want +got):\n%s", diff)
			}
		})
	}
}
