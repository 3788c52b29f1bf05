package openapi

import (
	"slices"
	"strings"
)

// isChosenByServer reports whether a member of the body is one that the server sets, although the document does not say so.
func isChosenByServer(b *builder, m member) bool { return isSurrogate(b, m) || isRecord(b, m) }

// isSurrogate reports whether a member is an id that the server chooses in addition to the name that the program chooses.
func isSurrogate(b *builder, m member) bool {
	return b.id != nil && b.chosen && b.id.name != m.name && !m.required && slices.Contains(usualIDs, m.name) && b.object.member(m.name) != nil
}

// isRecord reports whether a member of what is both sent and shown is what the server records of a change, such as its time.
func isRecord(b *builder, m member) bool {
	if m.required || b.body.name == "" || b.body.name != b.object.name {
		return false
	}
	w := words(m.name)
	of := slices.Contains([]string{"create", "created", "creation", "update", "updated", "modify", "modified", "modification"}, w[0])
	return of && (len(w) == 1 && strings.HasSuffix(w[0], "ed") || len(w) == 2 && slices.Contains([]string{"at", "time", "date", "on", "index", "timestamp"}, w[1]))
}

// promises reports whether the document lists which members a response has: it requires some that the create does not. Where both have the
// same list, it is that of the create. Where some members may be null, the others have values.
func promises(b *builder) bool {
	if slices.ContainsFunc(b.object.members, func(m member) bool { return viewOf(m.schema).nullable && b.body.member(m.name) != nil }) {
		return false
	}
	return slices.ContainsFunc(b.object.members, func(m member) bool {
		in := b.body.member(m.name)
		return m.required && in != nil && !in.required && !viewOf(m.schema).readOnly
	})
}

// fills reports whether the API may choose the value of an input that the program does not set. Where a document lists the members
// of the response, the others are absent then. What may be null, or is a list or a map, is null or empty then.
func (b *builder) fills(p property, m member) bool {
	i := slices.IndexFunc(b.inputs, func(in property) bool { return in.name == p.name && in.wire == p.wire })
	if i < 0 || !b.inputs[i].optional || b.inputs[i].typ != strings.TrimPrefix(p.typ, "null | ") || slices.Contains(b.inputs[i].attributes, "@noRead()") {
		return false
	}
	v := viewOf(m.schema)
	isEmpty := v.nullable || isCollection(v)
	return b.collection != "" && (m.required || len(b.object.required) == 0 || !isEmpty && !promises(b))
}

// isCollection reports whether the values of a schema are lists or maps.
func isCollection(v view) bool {
	return v.kind == arrayKind || v.kind == objectKind && len(v.members) == 0
}
