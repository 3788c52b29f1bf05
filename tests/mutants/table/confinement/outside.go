package confinement

import "github.com/declprov/declprov/tests/mutants/mutant"

const outside = "tests/outside"

// ofOutside are the promises about what comes from outside: a response, the output
// of a command, a text.
func ofOutside() []mutant.Mutant {
	const bounded = "What comes from outside is bounded by its values, too"
	const data = "What comes from outside is data, whatever Pulumi would take it for"
	return []mutant.Mutant{
		{
			Promise: data, Mechanism: "references of an OpenAPI document stay in its folder",
			File:    "cmd/declprov/internal/openapi/load.go",
			Find:    `err != nil || !filepath.IsLocal(rel)`,
			Replace: `err != nil || rel == ""`,
			Package: "cmd/declprov/internal/openapi", Test: "TestDocumentsThatCannotBeRead/another folder", Fails: "it was read",
		},
		{
			Promise: "What another machine has little of is waited for", Mechanism: "a session that is refused for now is asked for again",
			File:    "actions/ssh/run.go",
			Find:    `if !errors.As(err, &refused) ||`,
			Replace: `if errors.As(err, &refused) || true ||`,
			Package: "actions/ssh", Test: "TestFewSessions", Fails: "open failed",
		},
		{
			Promise: bounded, Mechanism: "the values of a JSON text are counted before they are made",
			File:    "spec/decode/json.go",
			Find:    `b.Spend(count)`,
			Replace: `b.Spend(0 * count)`,
			Package: "spec/decode", Test: "TestOneBudgetForSeveralTexts", Fails: "<nil>",
		},
		{
			Promise: bounded, Mechanism: "the elements and attributes of an XML text are counted before they are made",
			File:    "actions/http/verdict/decode_xml.go",
			Find:    `b.Spend(decode.CountXML(data))`,
			Replace: `b.Spend(0 * decode.CountXML(data))`,
			Package: "actions/http", Test: "TestXMLCounts", Fails: "expected a count of 3",
		},
		{
			Promise: bounded, Mechanism: "what an alias of YAML stands for counts each time",
			File:    "spec/decode/yaml.go",
			Find:    `y.budget.Spend(1)`,
			Replace: `y.budget.Spend(0)`,
			Package: "spec/decode", Test: "TestYAML", Fails: "<nil>",
		},
		{
			Promise: "No number changes on its way in", Mechanism: "a float stands only for a number that it prints as",
			File: "spec/decode/number.go",
			Find: `	return 0, false
}

// mostDigits`,
			Replace: `	return f, true
}

// mostDigits`,
			Package: "spec/decode", Test: "TestFloat", Fails: "expected false",
		},
		{
			Promise: data, Mechanism: "no member of a value has the name of a signature",
			File:    "engine/reserved/reserved.go",
			Find:    `return name == sig.Key || Text(name)`,
			Replace: `return name != sig.Key && Text(name)`,
			Package: outside, Test: "TestSignedData", Fails: "has a signature",
		},
		{
			Promise: data, Mechanism: "no text is the marker of unknown values",
			File:    "engine/reserved/reserved.go",
			Find:    `	if len(s) != len(Unknown) {`,
			Replace: `	if len(s) == len(Unknown) {`,
			Package: "engine/reserved", Test: "TestMarkers", Fails: "is not reserved",
		},
		{
			Promise: data, Mechanism: "what cannot be recorded is left out alone",
			File:    "engine/value/project.go",
			Find:    `			failed, out.Lost = errors.Join(failed, err), append(out.Lost, m.Name)`,
			Replace: `			return errors.Join(failed, err)`,
			Package: outside, Test: "TestSignedData", Fails: "recorded as",
		},
		{
			Promise: data, Mechanism: "a refresh keeps what is managed without what cannot be recorded of it",
			File:    "engine/run/reading/reading.go",
			Find:    `if lost != nil && (importing || !value.IsUnrecordable(lost)) {`,
			Replace: `if lost != nil {`,
			Package: outside, Test: "TestSignedData", Fails: "nothing is recorded",
		},
		{
			Promise: data, Mechanism: "a marker is no id",
			File:    "engine/value/recordable.go",
			Find:    `	case reserved.Text(id):`,
			Replace: `	case reserved.Text(id) && false:`,
			Package: outside, Test: "TestSignedIDs", Fails: "expected",
		},
	}
}
