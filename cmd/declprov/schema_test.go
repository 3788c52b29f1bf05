package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestFormatJSON checks that a document in YAML is the same as in JSON, with strings that YAML
// would read as something else.
func TestFormatJSON(t *testing.T) {
	document := `{"b": "yes", "a": ["0644", "1e3", "", "null", "~", "a: b", "# c", "x\ny\n", " z", "\ttab", "é", "${x}", "[1]", "- d"], "n": 1.50, "t": true, "u": null, "e": {}, "l": []}`
	text, err := formatJSON([]byte(document), "yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal([]byte(document), &want); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, text)
	}
}
