package table

// ofNames are the promises about declared names and types of what arrives.
func ofNames() []Mutant {
	const typed = "A response is data of its declared type, or an error that names the member"
	const names = "Names on the wire are written down once"
	return []Mutant{
		{
			Promise: typed, Mechanism: "a member of another kind does not fit",
			File:    "engine/reception.go",
			Find:    `	return r.unfit(v, declared, receivedKind(v))` + "\n}\n\n// unfit",
			Replace: "\treturn v\n}\n\n// unfit",
			Package: "engine", Test: "TestResponsesThatDoNotFit", Fails: "an int is declared",
		},
		{
			Promise: typed, Mechanism: "a required member must be there",
			File:    "engine/reception.go",
			Find:    `		r.misfit(describe(p.Type), "nothing", r.otherSpelling(v, p))`,
			Replace: `		r.otherSpelling(v, p)`,
			Package: "engine", Test: "TestResponsesThatDoNotFit", Fails: "missing",
		},
		{
			Promise: typed, Mechanism: "what has had its effect is recorded as done",
			File:    "engine/steps.go",
			Find:    `	if err != nil && (!unfit(err) || s.forEach != nil) {`,
			Replace: `	if err != nil {`,
			Package: "engine", Test: "TestUnfitEffectsAreDoneOnce", Fails: "it is kept as failed",
		},
		{
			Promise: typed, Mechanism: "the element that was made is kept with the others",
			File:    "engine/steps.go",
			Find:    `	if err != nil && !unfit(err) || r.undoing {`,
			Replace: `	if err != nil || r.undoing {`,
			Package: "engine", Test: "TestUnfitElements", Fails: "make y",
		},
		{
			Promise: typed, Mechanism: "session has the type of what configure yields",
			File:    "engine/session.go",
			Find:    `		c.session = sessionType(last(c.configure.steps))`,
			Replace: `		c.session = orNull(&spec.Type{})`,
			Package: "engine", Test: "TestSessionIsTyped", Fails: "session.acount",
		},
		{
			Promise: typed, Mechanism: "pages are received before their items are looked for",
			File:    "actions/http/judge.go",
			Find:    `		if x.typed && x.call.Receive != nil {`,
			Replace: `		if false {`,
			Package: "engine", Test: "TestPagesSeeDeclaredNames", Fails: "there are 0 items",
		},
		{
			Promise: typed, Mechanism: "a page that does not fit is the last one",
			File:    "actions/http/paginate.go",
			Find:    `		if out.Unfit != nil || !x.wants("items") {`,
			Replace: `		if !x.wants("items") {`,
			Package: "engine", Test: "TestPagesThatDoNotFit", Fails: "after=y",
		},
		{
			Promise: typed, Mechanism: "what of a failure fits is known by its declared name",
			File:    "engine/judge.go",
			Find:    `		v.value = s.adapt(out)`,
			Replace: `		v.value = out.Result`,
			Package: "engine", Test: "TestFailuresSeeDeclaredNames/a_refusing_command", Fails: "\"exec: bad\" is expected",
		},
		{
			Promise: typed, Mechanism: "the message of a failure is looked for by declared names",
			File:    "actions/http/judge.go",
			Find:    `	if !x.typed || x.call.Adapt == nil {`,
			Replace: `	if true {`,
			Package: "engine", Test: "TestFailuresSeeDeclaredNames/error", Fails: "is expected",
		},
		{
			Promise: typed, Mechanism: "what find gives is of the type of the response for which it stands",
			File:    "engine/find.go",
			Find:    `	if members[s.yield], err = fitting(members[s.yield], s.yield); err != nil {`,
			Replace: `	if members[s.yield], _ = fitting(members[s.yield], s.yield); err != nil {`,
			Package: "engine", Test: "TestFindsAreOfTheType/a_member_missing", Fails: "is expected",
		},
		{
			Promise: typed, Mechanism: "vet knows a find that gives something else than the create",
			File:    "engine/compile_certainty.go",
			Find:    `	if err := expr.Projectable(&found, response, c.spec.Types); err != nil {`,
			Replace: `	if err := expr.Projectable(&found, response, c.spec.Types); false {`,
			Package: "engine", Test: "TestFindsOfAnotherType", Fails: "type-mismatch",
		},
		{
			Promise: typed, Mechanism: "one element is a list of one where a list is declared",
			File:    "engine/reception_xml.go",
			Find:    `		if _, ok := v.([]any); !ok && v != nil {`,
			Replace: `		if false {`,
			Package: "engine", Test: "TestXMLHasItsType/one", Fails: "expected a list",
		},
		{
			Promise: typed, Mechanism: "elements of two namespaces are two things",
			File:    "actions/http/xml.go",
			Find:    `	if name.Space == "" {`,
			Replace: `	if true {`,
			Package: "engine", Test: "TestNamespacesAreKeptApart/both", Fails: "want +got",
		},
		{
			Promise: typed, Mechanism: "a local name of two namespaces is ambiguous",
			File:    "engine/reception.go",
			Find:    `	case r.xml && !given && r.ambiguous(v, p, wire):`,
			Replace: `	case false:`,
			Package: "engine", Test: "TestNamespacesAreKeptApart/an_ambiguous_local_name", Fails: "say which",
		},
		{
			Promise: names, Mechanism: "a namespace is sent with the names in it",
			File:    "actions/http/xml.go",
			Find:    `	case own != "" && own != space:`,
			Replace: `	case false:`,
			Package: "engine", Test: "TestNamespacesAreSent", Fails: "DAV:",
		},
		{
			Promise: names, Mechanism: "the rule of a resource or spec holds for what its steps return",
			File:    "engine/compile_steps.go",
			Find:    `newNaming(c.wireRule(), c.spec.Types, body.Type)`,
			Replace: `newNaming("", c.spec.Types, body.Type)`,
			Package: "engine", Test: "TestResponsesBecomeTheirType", Fails: "body.pet",
		},
		{
			Promise: names, Mechanism: "the rule of a definition holds for the names in it",
			File:    "spec/load/named.go",
			Find:    `	t.ApplyWireRule(rule)`,
			Replace: `	_ = rule`,
			Package: "engine", Test: "TestWireRulesOfReturns", Fails: "FullName",
		},
		{
			Promise: names, Mechanism: "a path is sent below its parents",
			File:    "engine/wirenames.go",
			Find:    `				putAt(renamed, p.WireParents, w.name(p), w.out(item, p.Type, types))`,
			Replace: `				putAt(renamed, nil, w.name(p), w.out(item, p.Type, types))`,
			Package: "engine", Test: "TestWirePaths", Fails: "metadata:map[name:a]",
		},
		{
			Promise: names, Mechanism: "a path is read below its parents",
			File:    "engine/reception.go",
			Find:    "	for _, parent := range r.parents(p) {\n\t\tnext",
			Replace: "	for _, parent := range r.parents(p)[:0] {\n\t\tnext",
			Package: "engine", Test: "TestWirePathsOfReturns", Fails: "metadata.uid",
		},
		{
			Promise: names, Mechanism: "two properties have no place in common",
			File:    "spec/wire.go",
			Find:    `slices.Equal(a[:n], b[:n])`,
			Replace: `len(a) == len(b) && slices.Equal(a[:n], b[:n])`,
			Package: "engine", Test: "TestWireConflicts", Fails: "duplicate-name",
		},
	}
}
