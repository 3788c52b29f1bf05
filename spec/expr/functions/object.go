package functions

import (
	"maps"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// objectFunctions operate on maps and structs, and on values of any type.
func objectFunctions() []*Function {
	return []*Function{
		def(eval.Flat, "type(v: any?) string", `The name of a value's type: "nil", "bool", "int", "float", "string", "array", "map", "time", "duration", or "file" for an asset or archive.`, `type([1])`, `"array"`, fnType).withType(typeOfType),
		def(eval.Flat, "coalesce(v...: any?) any?", "The first value that is not null, or null.", `coalesce(null, "a", "b")`, `"a"`, fnCoalesce).withType(typeOfCoalesce),
		def(eval.Flat, "expectNull(v: any?, message: string) any?", "Null; if the value is not null, the evaluation fails with the message.", `expectNull(find([1, 2], # > 2), "a number is too large")`, `null`, fnExpectNull).withType(typeOfNull),
		def(eval.OfItems, "merge(m...: map?) map", "A map with the members of all maps or structs. If a name occurs more than once, the last value is used, even if it is null. Arguments that are null are ignored.", `merge({a: 1, b: 1}, {b: 2})`, `{"a":1,"b":2}`, fnMerge).withType(typeOfMerge),
		def(eval.Metered, "mergePatch(old: map, new: map) map", "The JSON merge patch (RFC 7396) for an object of which `new` has the changed members: `new`, with null for each nested member that only `old` has.", `mergePatch({a: {b: 1, c: 2}}, {a: {b: 3}})`, `{"a":{"b":3,"c":null}}`, fnMergePatch).withType(typeOfMergePatch),
		def(eval.Metered, "deepChanges(old: map, new: map) map", "What of the members of `new` differs from `old`, at any depth: of a nested map or struct, only the members that differ, and null for those that only `old` has. Lists are compared as a whole.", `deepChanges({a: {b: 1, c: 2, d: 3}}, {a: {b: 4, c: 2}})`, `{"a":{"b":4,"d":null}}`, fnDeepChanges).withType(typeOfDeepChanges),
		def(eval.OfItems, "pick(m: map, name...: string) map", "A map or struct with only these members, as far as it has them.", `pick({a: 1, b: 2}, "a")`, `{"a":1}`, fnPick).withType(typeOfPick),
		def(eval.OfItems, "omit(m: map, name...: string) map", "A map or struct without these members.", `omit({a: 1, b: 2}, "a")`, `{"b":2}`, fnOmit).withType(typeOfOmit),
		def(eval.Metered, "keys(m: map) [string]", "The keys of a map or struct, sorted.", `keys({b: 1, a: 2})`, `["a","b"]`, fnKeys),
		def(eval.Metered, "values(m: map) list", "The values of a map or struct, in the order of its sorted keys.", `values({b: 1, a: 2})`, `[2,1]`, fnValues).withType(typeOfValues),
		def(eval.Metered, "toPairs(m: map) [list]", "For each entry, a list of its key and its value, in the order of the keys.", `toPairs({a: 1})`, `[["a",1]]`, fnToPairs),
		def(eval.Metered, "entries(m: map) list", "The entries of a map or struct as structs with a key and a value, in the order of the keys.", `entries({a: 1})`, `[{"key":"a","value":1}]`, fnEntries).withType(typeOfEntries),
		def(eval.OfItems, "archive(files: map) archive", "An archive of assets and archives: the keys are their paths in it.", `type(archive({}))`, `"file"`, fnArchive),
		def(eval.OfItems, "fromPairs(pairs: [list]) {any}", "The map of these pairs, each a list of a key and its value. A key that occurs twice is an error.", `fromPairs([["a", 1]])`, `{"a":1}`, fnFromPairs),
	}
}

func fnType(_ *eval.Run, a args) (any, error) {
	switch a[0].(type) {
	case nil:
		return "nil", nil
	case bool:
		return "bool", nil
	case string:
		return "string", nil
	case []any:
		return "array", nil
	case map[string]any:
		return "map", nil
	case eval.Moment:
		return "time", nil
	case eval.Span:
		return "duration", nil
	case *spec.File:
		return "file", nil
	}
	if n, ok := types.Numeric(a[0]); ok {
		if _, isInt := n.(int64); !isInt {
			return "float", nil
		}
	}
	return "int", nil
}

func typeOfType(*check.Call) check.TypedPart {
	return check.TypedPart{T: &spec.Type{Kind: spec.String, Enum: []any{"nil", "bool", "int", "float", "string", "array", "map", "time", "duration", "file"}}}
}

func fnArchive(r *eval.Run, a args) (any, error) {
	f := &spec.File{Archive: true, Members: make(map[string]*spec.File, len(a.dict(0)))}
	for name, v := range a.dict(0) {
		member, ok := v.(*spec.File)
		if !ok {
			return nil, eval.Faultf("archive requires assets and archives, got %s", eval.DescribeKind(v))
		}
		f.Members[name] = member
	}
	return f, r.Items(len(f.Members))
}

func fnCoalesce(_ *eval.Run, a args) (any, error) {
	for _, v := range a {
		if v != nil {
			return v, nil
		}
	}
	return nil, nil
}

func typeOfCoalesce(cl *check.Call) check.TypedPart {
	out := types.Never()
	for i, a := range cl.Args {
		t := types.Resolve(a.T, cl.Types)
		if types.IsAny(t) {
			all := types.Lossy(types.Any(), cl.Types, out)
			for _, other := range cl.Args[i:] {
				all = types.Lossy(all, cl.Types, other.T)
			}
			return check.TypedPart{T: all}
		}
		if i == len(cl.Args)-1 || !types.MayBeNull(t, cl.Types) {
			return check.TypedPart{T: types.Join(out, a.T, cl.Types)}
		}
		out = types.Join(out, types.Present(a.T, cl.Types), cl.Types)
	}
	return check.TypedPart{T: types.Null()}
}

func fnExpectNull(_ *eval.Run, a args) (any, error) {
	if a[0] != nil {
		return nil, eval.Faultf("%s", a.text(1))
	}
	return nil, nil
}

func typeOfNull(*check.Call) check.TypedPart { return check.TypedPart{T: types.Null()} }

func fnMerge(r *eval.Run, a args) (any, error) {
	out := map[string]any{}
	for _, v := range a {
		if v == nil {
			continue
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, eval.Faultf("merge requires a map, got %s", eval.DescribeKind(v))
		}
		if err := r.Items(len(m)); err != nil {
			return nil, err
		}
		maps.Copy(out, m)
	}
	return out, nil
}

// typeOfMerge returns a struct with all properties if all arguments are structs.
func typeOfMerge(cl *check.Call) check.TypedPart {
	out := merging{Types: cl.Types, fields: &spec.Type{Kind: spec.Object}, values: types.Never(), rest: types.Never()}
	for _, a := range cl.Args {
		if t := types.Resolve(a.T, cl.Types); !types.IsNull(t) {
			out.add(t)
		}
	}
	if !out.isMap {
		return check.TypedPart{T: out.fields}
	}
	t := types.MapOf(out.values)
	if types.IsAny(out.values) && out.values.Lost == nil {
		t = &spec.Type{Kind: spec.Map}
	}
	if t.Lost = out.lost; len(out.fields.Fields) > 0 {
		out.fields.Elem = out.rest
		t.Sent = &spec.Sent{Struct: out.fields, Beneath: out.beneath}
	}
	return check.TypedPart{T: t}
}

// merging computes the type of a merge.
type merging struct {
	spec.Types
	// fields are the declared members.
	fields *spec.Type
	// isMap reports that not all arguments are structs: the result is then a map of values, in which undeclared members
	// are of the type rest. beneath reports that declared members come after some of these.
	isMap, beneath bool
	values, rest   *spec.Type
	lost           *spec.Type
}

// add adds an argument.
func (m *merging) add(t *spec.Type) {
	s, beneath, ok := types.AsSent(t, m.Types)
	if !ok {
		s = &spec.Type{Kind: spec.Object, Open: true, Lost: t}
	}
	if t.Kind != spec.Object {
		m.isMap = true
		m.lost = types.Lossy(types.Lossy(types.Any(), m.Types, t.Lost), m.Types, s.Lost).Lost
	}
	if t.Kind != spec.Object && t.Kind != spec.Map {
		m.values = types.Lossy(types.Any(), m.Types, m.values)
	}
	m.beneath = m.beneath || beneath || m.fields.Open && len(s.Fields) > 0
	if s.Open {
		m.fields.Open = true
		m.fields.Elem = nil
		m.rest = types.Join(m.rest, types.Elem(s), m.Types)
		if t.Kind != spec.Object {
			m.values = types.Join(m.values, types.Elem(s), m.Types)
		}
	}
	for _, f := range s.Fields {
		m.values = types.Join(m.values, types.PropertyType(f), m.Types)
		check.SetField(m.fields, mergeProperty(m.fields.Field(f.Name), f, types.MayBeNull(t, m.Types), m.Types))
	}
}

// mergeProperty returns the property that results if above overrides below, which
// may be nil.
func mergeProperty(below, above *spec.Property, perhaps bool, named spec.Types) *spec.Property {
	p := *above
	p.Default, p.DefaultExpr, p.Autoname = nil, nil, nil
	p.Required = !above.Optional() && !perhaps
	if below != nil && above.AsWritten() {
		// The author overrides a declared member, which keeps its name on the wire.
		p.Wire, p.WireParents, p.WireItem = below.Wire, below.WireParents, below.WireItem
	}
	if below == nil || p.Required {
		return &p
	}
	p.Type = types.Join(below.Type, above.Type, named)
	p.Required = below.Required
	p.Secret = p.IsSecret() || below.IsSecret()
	return &p
}

// names returns the names after the first argument.
func names(a args) map[string]bool {
	out := make(map[string]bool, len(a))
	for i := range a[1:] {
		out[a.text(i+1)] = true
	}
	return out
}

func fnPick(r *eval.Run, a args) (any, error) {
	m, wanted := a.dict(0), names(a)
	out := map[string]any{}
	for name := range wanted {
		if v, ok := m[name]; ok {
			out[name] = v
		}
	}
	return out, r.Items(len(wanted))
}

func fnOmit(r *eval.Run, a args) (any, error) {
	m, unwanted := a.dict(0), names(a)
	if err := r.Items(len(m)); err != nil {
		return nil, err
	}
	out := maps.Clone(m)
	maps.DeleteFunc(out, func(name string, _ any) bool { return unwanted[name] })
	return out, nil
}

// chosenNames returns the names in a pick or an omit. ok is false if they are not all
// literals, or if the struct has no such member, which it reports.
func chosenNames(cl *check.Call, t *spec.Type) (names []string, ok bool) {
	ok = true
	for i, a := range cl.Args[1:] {
		lit := types.Literals(types.Resolve(a.T, cl.Types))
		if len(lit) != 1 {
			ok = false
			continue
		}
		name, _ := lit[0].(string)
		if _, has := types.Member(t, name); !has && t.Kind == spec.Object {
			cl.UnknownMember(cl.Args[i+1].At, t, name, cl.Args[0])
		}
		names = append(names, name)
	}
	return names, ok
}

func typeOfPick(cl *check.Call) check.TypedPart { return check.TypedPart{T: reshape(cl, true)} }

func typeOfOmit(cl *check.Call) check.TypedPart { return check.TypedPart{T: reshape(cl, false)} }

// reshape returns a struct type with only the named members, or without them.
func reshape(cl *check.Call, keep bool) *spec.Type {
	t := types.Resolve(cl.Args[0].T, cl.Types)
	if t.Kind != spec.Object {
		return reshapeMap(cl, t)
	}
	names, literal := chosenNames(cl, t)
	if from := &cl.Args[0]; literal && from.Origin != nil && (keep || !t.Open) {
		// Only these members are used, which decides what is secret, unknown or never sent.
		for _, f := range t.Fields {
			if slices.Contains(names, f.Name) == keep {
				cl.Use(check.TypedPart{T: f.Type, Origin: check.Extend(from.Origin, f.Name), At: from.At})
			}
		}
		from.Origin = nil
	}
	out := &spec.Type{Kind: spec.Object, Open: t.Open && !keep, Elem: t.Elem}
	for _, f := range t.Fields {
		switch {
		case !literal:
			p := *f
			p.Required, p.Default, p.DefaultExpr, p.Autoname = false, nil, nil, nil
			out.Fields = append(out.Fields, &p)
		case slices.Contains(names, f.Name) == keep:
			out.Fields = append(out.Fields, f)
		}
	}
	if !out.Open {
		out.Elem = nil
	}
	return out
}

// reshapeMap is reshape for a value that is not a struct.
func reshapeMap(cl *check.Call, t *spec.Type) *spec.Type {
	if t.Kind == spec.Map {
		out := types.MapOf(types.Elem(t))
		out.Sent, out.Lost = t.Sent, t.Lost
		return out
	}
	if t.Kind != spec.Union {
		return types.Lossy(types.Map(), cl.Types, t.Lost)
	}
	s, beneath, ok := types.AsSent(t, cl.Types)
	if !ok {
		return types.Lossy(types.Map(), cl.Types, t)
	}
	return &spec.Type{Kind: spec.Map, Sent: &spec.Sent{Struct: s, Beneath: beneath}, Lost: s.Lost}
}

func fnKeys(r *eval.Run, a args) (any, error) {
	m := a.dict(0)
	keys, err := r.SortedKeys(m)
	return anyList(keys), err
}

func fnValues(r *eval.Run, a args) (any, error) {
	m := a.dict(0)
	keys, err := r.SortedKeys(m)
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(m))
	for _, k := range keys {
		out = append(out, m[k])
	}
	return out, nil
}

// typeOfValues returns the type of a list of the values.
func typeOfValues(cl *check.Call) check.TypedPart {
	t := types.Resolve(cl.Args[0].T, cl.Types)
	return check.TypedPart{T: types.ListOf(types.Values(t, cl.Types)), Origin: cl.Args[0].Origin, Shuffled: true}
}

// typeOfEntries returns the type of a list of the keys and values.
func typeOfEntries(cl *check.Call) check.TypedPart {
	t := types.Resolve(cl.Args[0].T, cl.Types)
	return check.TypedPart{T: types.ListOf(&spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "key", Wire: "key", Type: types.String(), Required: true},
		{Name: "value", Wire: "value", Type: types.Values(t, cl.Types), Required: true},
	}})}
}

func fnEntries(r *eval.Run, a args) (any, error) { return eval.Entries(r, a.dict(0)) }

func fnToPairs(r *eval.Run, a args) (any, error) {
	m := a.dict(0)
	keys, err := r.SortedKeys(m)
	if err != nil {
		return nil, err
	}
	if err := r.Items(2 * len(m)); err != nil {
		return nil, err
	}
	out := make([]any, 0, len(m))
	for _, k := range keys {
		out = append(out, []any{k, m[k]})
	}
	return out, nil
}

func fnFromPairs(r *eval.Run, a args) (any, error) {
	list := a.list(0)
	if err := r.Items(len(list)); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(list))
	for i, item := range list {
		pair, ok := item.([]any)
		if !ok || len(pair) != 2 {
			return nil, eval.Faultf("fromPairs: item %d is not a pair", i)
		}
		key, err := eval.ScalarText(pair[0])
		if err != nil {
			return nil, eval.Faultf("fromPairs: the key of item %d: %v", i, err)
		}
		if _, repeated := out[key]; repeated {
			return nil, eval.Faultf("fromPairs: the key %s occurs twice", eval.Quote(key))
		}
		out[key] = pair[1]
	}
	return out, nil
}
