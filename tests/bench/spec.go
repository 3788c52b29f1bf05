package main

import (
	"fmt"
	"strings"
)

// specOf is examples/files.cue with as many resource types as asked for: the
// first is File, the others are copies of it under other names.
func specOf(files string, types int) (string, error) {
	head, resource, found := strings.Cut(files, "resources: File: {")
	if !found {
		return "", fmt.Errorf("examples/files.cue has no `resources: File: {` to multiply")
	}
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("resources: File: {" + resource)
	for i := 1; i < types; i++ {
		fmt.Fprintf(&b, "\n// Another file.\nresources: File%d: {%s", i, resource)
	}
	return b.String(), nil
}
