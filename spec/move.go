package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec/diag"
)

// Written returns a value on one line, in a notation that CUE and YAML have in common. It returns ""
// for a value that has none, such as the name of a definition.
func (n *Node) Written() string {
	if n == nil || n.Kind == 0 || n.Type != nil {
		return ""
	}
	var parts []string
	switch n.Kind {
	case StringNode:
		return strconv.Quote(n.Text)
	case ListNode:
		for _, item := range n.Items {
			parts = append(parts, item.Written())
		}
	case MapNode:
		for _, f := range n.Fields {
			written := f.Value.Written()
			if written != "" {
				written = label(f.Name) + ": " + written
			}
			parts = append(parts, written)
		}
	case NullNode:
		return "null"
	default:
		return n.Text
	}
	if slices.Contains(parts, "") {
		return ""
	}
	if n.Kind == ListNode {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// label returns a name as a key of CUE and YAML.
func label(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return name
	}
	return strconv.Quote(name)
}

// WithMember returns the edits that add a member with a string to a struct as its first.
func (n *Node) WithMember(key, value string) []diag.Edit {
	if n == nil || n.Kind != MapNode || len(n.Fields) == 0 {
		return nil
	}
	if strings.HasSuffix(n.Range.File, ".json") {
		return n.With(fmt.Sprintf("%q: %q", key, value), "")
	}
	return n.With(fmt.Sprintf("%s: %q", key, value), key+": "+value)
}

// With returns the edits that add members to a struct as its first. The struct is in braces, or a block of
// YAML, or the shorthand of CUE.
func (n *Node) With(inBraces, inBlock string) []diag.Edit {
	at := func(p diag.Position) diag.Range { return diag.Range{File: n.Range.File, Start: p, End: p} }
	first := n.Fields[0].NameRange.Start
	switch {
	case n.Range.Start != first, strings.HasSuffix(n.Range.File, ".json"):
		return []diag.Edit{{At: at(first), Text: inBraces + ", "}}
	case strings.HasSuffix(n.Range.File, ".cue"):
		return []diag.Edit{{At: at(first), Text: "{" + inBraces + ", "}, {At: at(n.Range.End), Text: "}"}}
	default:
		return []diag.Edit{{At: at(first), Text: inBlock + "\n" + strings.Repeat(" ", first.Column-1)}}
	}
}

// WithMember returns the edits that add a key with a string to a step, before its action.
func (s *Step) WithMember(key, value string) []diag.Edit {
	if len(s.Actions) != 1 {
		return nil
	}
	return s.block().WithMember(key, value)
}

// block returns the action of a step as a struct with one member.
func (s *Step) block() *Node {
	step := &Node{Kind: MapNode, Range: s.Range, Fields: s.Actions}
	if action := s.Actions[0].NameRange.Start; s.Range.Start.Column == action.Column {
		step.Range.Start = action // a block of YAML, whose keys are in one column
	}
	return step
}

// MoveUp returns the edits that move members of a struct within the action of a step to the step itself. It
// returns none if that would not be safe: what a definition contains belongs to its other users as well.
func (s *Step) MoveUp(from *Node, names func(string) bool) []diag.Edit {
	if len(s.Actions) != 1 || !s.Range.Contains(from.Range) {
		return nil
	}
	var edits []diag.Edit
	var moved []string
	for i, f := range from.Fields {
		if !from.Range.Contains(f.NameRange) || f.Value.Range.End.Line > f.NameRange.End.Line {
			return nil
		}
		if !names(f.Name) {
			continue
		}
		written := f.Value.Written()
		if written == "" {
			return nil
		}
		moved = append(moved, fmt.Sprintf("%s: %s", f.Name, written))
		edits = append(edits, diag.Edit{At: from.extentOf(i, names)})
	}
	if len(moved) == len(from.Fields) || strings.HasSuffix(from.Range.File, ".json") {
		return nil
	}
	return append(s.block().With(strings.Join(moved, ", "), strings.Join(moved, "\n"+strings.Repeat(" ", s.Actions[0].NameRange.Start.Column-1))), edits...)
}

// extentOf returns the text of a member with the comma that joins it to the others, of which those with
// these names are removed as well.
func (n *Node) extentOf(i int, removed func(string) bool) diag.Range {
	f := n.Fields[i]
	at := diag.Range{File: n.Range.File, Start: f.NameRange.Start, End: f.Value.Range.End}
	isFirst := !slices.ContainsFunc(n.Fields[:i], func(before Field) bool { return !removed(before.Name) })
	switch {
	case i > 0 && n.Fields[i-1].Value.Range.End.Line < at.Start.Line, i == 0 && len(n.Fields) > 1 && n.Fields[1].NameRange.Start.Line > at.Start.Line && n.Range.Start.Line < at.Start.Line:
		at.Start.Column = 1 // it has a line of its own
	case isFirst:
		at.End = n.Fields[i+1].NameRange.Start
	default:
		at.Start = n.Fields[i-1].Value.Range.End
	}
	return at
}
