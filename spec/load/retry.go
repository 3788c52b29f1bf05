package load

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// retry is the struct of LANGUAGE.md section 8. Its values are kept as they
// are; what can be told of them without running is checked.
func (r *stepReader) retry(it item, p place) *spec.Node {
	if _, ok := r.block(it, p, "retry", []string{"on", "if", "attempts", "backoff", "maxBackoff", "jitter"}, nil); !ok {
		return nil
	}
	n := &spec.Node{Kind: spec.MapNode, Range: it.at}
	for _, m := range r.values(it) {
		at := p.at(m.name)
		var value *spec.Node
		switch m.name {
		case "on":
			value = r.retryOn(m, at)
		case "if":
			value = r.condition(m, at)
		case "attempts":
			value = r.attempts(m, at)
		case "backoff", "maxBackoff":
			value = r.duration(m, at)
		case "jitter":
			value = r.condition(m, at)
		default:
			continue
		}
		if value != nil {
			n.Fields = append(n.Fields, spec.Field{Name: m.name, NameRange: m.nameAt, Value: value})
		}
	}
	return n
}

func (r *stepReader) attempts(it item, p place) *spec.Node {
	n := r.node(it, p)
	whole := n.Kind == spec.NumberNode && !strings.ContainsAny(n.Text, ".eE-") && n.Text != "0"
	if n.Kind != 0 && !whole && !hasTemplate(n) {
		r.report(badValue, it.at, p, "attempts must be a whole number from 1 on", "It counts all attempts, the first one too.")
		n.Kind = 0
	}
	return n
}

// retryOn is the list of statuses and of classes of error that are tried again.
func (r *stepReader) retryOn(it item, p place) *spec.Node {
	if r.broken(it, p) {
		return nil
	}
	if r.kind(it) != cue.ListKind {
		r.wrongShape(it, p, `a list such as [503, "connection"]`)
		return nil
	}
	n := r.node(it, p)
	classes := []string{"connection", "timeout"}
	for i, m := range n.Items {
		switch {
		case m.Kind == spec.StringNode && !slices.Contains(classes, m.Text) && !hasTemplate(m):
			r.report(badValue, m.Range, p.item(i), fmt.Sprintf("%q is nothing to retry on", m.Text), diag.Remedy(m.Text, classes))
		case m.Kind != 0 && m.Kind != spec.StringNode && m.Kind != spec.NumberNode:
			r.report(wrongShape, m.Range, p.item(i), `a status, "connection" or "timeout" is needed, not `+m.Kind.String(), `Write on: [503, "connection"].`)
		}
	}
	return n
}
