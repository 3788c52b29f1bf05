package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
)

func TestPlaceholder(t *testing.T) {
	types := spec.Types{"Port": {Name: "Port", Type: &spec.Type{Kind: spec.Int, Min: &spec.Bound{Value: json.Number("80")}}}}
	tests := map[string]struct {
		is   *spec.Type
		want string
	}{
		"nothing": {nil, `"..."`},
		"text":    {&spec.Type{Kind: spec.String}, `"..."`},
		"enum":    {&spec.Type{Kind: spec.String, Enum: []any{"cat", "dog"}}, `"cat"`},
		"truth":   {&spec.Type{Kind: spec.Bool}, "false"},
		"number":  {&spec.Type{Kind: spec.Number}, "1"},
		"named":   {&spec.Type{Ref: "Port"}, "80"},
		"list":    {&spec.Type{Kind: spec.List}, "[]"},
		"items":   {&spec.Type{Kind: spec.List, MinLen: 2, Elem: &spec.Type{Ref: "Port"}}, "[80, 80]"},
		"long":    {&spec.Type{Kind: spec.String, MinLen: 5}, `"....."`},
		"map":     {&spec.Type{Kind: spec.Map, MinLen: 1, Elem: &spec.Type{Kind: spec.Bool}}, `{"key1": false}`},
		"struct":  {&spec.Type{Kind: spec.Object}, "{}"},
		"members": {&spec.Type{Kind: spec.Object, Fields: []*spec.Property{
			{Name: "a", Required: true, Type: &spec.Type{Kind: spec.Bool}}, {Name: "b", Type: &spec.Type{Kind: spec.Bool}},
		}}, `{"a": false}`},
		"asset": {&spec.Type{Kind: spec.Asset}, "{fn::fileAsset: ./file}"},
		"union": {&spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Kind: spec.Bool}, {Kind: spec.Int}}}, "false"},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, placeholder(test.is, types)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
