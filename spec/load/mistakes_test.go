package load

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/diag"
)

// finding is what the tests compare of a diagnostic.
type finding struct {
	Code string
	At   string // line:column-line:column
}

func findings(diags diag.List) []finding {
	var list []finding
	for _, d := range diags {
		list = append(list, finding{d.Code, fmt.Sprintf("%d:%d-%d:%d", d.Subject.Start.Line, d.Subject.Start.Column, d.Subject.End.Line, d.Subject.End.Column)})
	}
	return list
}

// marked takes the marks «…» out of a source: what stands between them is where
// a diagnostic is expected.
func marked(src string) (clean string, places []string) {
	line, column := 1, 1
	var b strings.Builder
	var open []string
	for _, r := range src {
		switch r {
		case '«':
			open = append(open, fmt.Sprintf("%d:%d", line, column))
		case '»':
			places = append(places, fmt.Sprintf("%s-%d:%d", open[len(open)-1], line, column))
			open = open[:len(open)-1]
		case '\n':
			line, column = line+1, 1
			b.WriteRune(r)
		default:
			column++
			b.WriteRune(r)
		}
	}
	return b.String(), places
}

// checkMistake loads a source whose marks say where the one diagnostic is.
func checkMistake(t *testing.T, format, src, code string) {
	t.Helper()
	clean, places := marked(src)
	var want []finding
	for _, at := range places {
		want = append(want, finding{code, at})
	}
	_, diags := Load(context.Background(), Source{Path: "-", Stdin: []byte(clean), Format: format})
	if diff := cmp.Diff(want, findings(diags)); diff != "" {
		t.Errorf("diagnostics differ (-want +got):\n%s\n%s", diff, clean)
		for _, d := range diags {
			t.Logf("%s: %s[%s]: %s. %s (%s; %s)", d.Subject, d.Severity, d.Code, d.Summary, d.Detail, d.Context, d.Path)
		}
	}
	for _, d := range diags {
		if d.Summary == "" || d.Detail == "" || strings.HasSuffix(d.Summary, ".") || d.Subject.File != stdinName {
			t.Errorf("summary %q at %s", d.Summary, d.Subject)
		}
	}
}

const cueHead = "name: \"xy\", version: \"1.0.0\"\n"

// inInputs, inResource and inStep put a fragment where it belongs.
func inInputs(s string) string {
	return cueHead + "resources: A: {id: \"x\", create: file: write: path: \"x\", inputs: {\n" + s + "\n}}\n"
}

func inResource(s string) string {
	return cueHead + "resources: A: {inputs: {mode: *\"0644\" | string, n?: int}, outputs: size: int\n" + s + "\n}\n"
}

const idAndCreate = "id: \"x\", create: file: write: path: \"x\"\n"

func TestMistakesInCUE(t *testing.T) {
	cases := []struct{ name, code, src string }{
		{"syntax", syntaxError, cueHead + "a: {b: 1 «:» 2}"},
		{"no name", missingKey, "«version»: \"1.0.0\""},
		{"no version", missingKey, "«name»: \"xy\""},
		{"name with capitals", badName, "name: «\"Pets\"», version: \"1.0.0\""},
		{"taken name", reservedName, "name: «\"pulumi\"», version: \"1.0.0\""},
		{"name is a number", wrongShape, "name: «1», version: \"1.0.0\""},
		{"version is a number", badVersion, "name: \"xy\", version: «1.0»"},
		{"version in two parts", badVersion, "name: \"xy\", version: «\"1.0\"»"},
		{"version with v", badVersion, "name: \"xy\", version: «\"v1.0.0\"»"},
		{"misspelt top key", unknownKey, cueHead + "«resourcess»: {}"},
		{"top key with capital", unknownKey, cueHead + "«Foo»: {}"},
		{"keywords is text", wrongShape, cueHead + "keywords: «\"a\"»"},
		{"keyword is a number", wrongShape, cueHead + "keywords: [\"a\", «1»]"},
		{"resources is a list", wrongShape, cueHead + "resources: «[]»"},
		{"permission misspelt", unknownKey, cueHead + "permissions: «wirte»: []"},
		{"permission is text", wrongShape, cueHead + "permissions: write: «\"/srv/**\"»"},
		{"resource name", badName, cueHead + "resources: «pet»: {" + idAndCreate + "}"},
		{"resource name quoted", badName, cueHead + "resources: «\"My-Pet\"»: {" + idAndCreate + "}"},
		{"no id", missingKey, cueHead + "resources: «A»: create: file: write: path: \"x\""},
		{"no create", missingKey, cueHead + "resources: «A»: id: \"x\""},
		{"misspelt resource key", unknownKey, inResource(idAndCreate + "«craete»: {}")},
		{"misspelt create", unknownKey, cueHead + "resources: A: {id: \"x\", «craete»: file: {}}"},
		{"misspelt name", unknownKey, "«nmae»: \"x\", version: \"1.0.0\""},
		{"no values", badValue, cueHead + "maxValues: «0»"},
		{"too many values", badValue, cueHead + "maxValues: «1000000001»"},
		{"a template for values", badValue, cueHead + "maxValues: «\"${config.n}\"»"},
		{"wire rule", badValue, inResource(idAndCreate + "wire: «\"snake\"»")},
		{"id is a number", wrongShape, inResource("id: «1», create: file: write: path: \"x\"")},
		{"operation is a list", wrongShape, inResource("id: \"x\", create: «[{file: {}}]»")},
		{"empty steps", emptySteps, inResource("id: \"x\", create: steps: «[]»")},
		{"empty step", emptySteps, inResource("id: \"x\", create: steps: [«{»}]")},
		{"step key beside steps", stepBesideSteps, inResource("id: \"x\", create: {steps: [{file: {}}], «as»: \"a\"}")},
		{"action beside steps", stepBesideSteps, inResource("id: \"x\", create: {steps: [{file: {}}], «http»: {}}")},
		{"same name twice", duplicateName, inResource("id: \"x\", create: steps: [{as: \"a\", file: {}}, {as: «\"a\"», file: {}}]")},
		{"name of a step", badName, inResource("id: \"x\", create: {as: «\"a-b\"», file: {}}")},
		{"retry is a number", wrongShape, inResource("id: \"x\", create: {retry: «3», file: {}}")},
		{"retry key", unknownKey, inResource("id: \"x\", create: {retry: «attemps»: 3, file: {}}")},
		{"retry attempts", badValue, inResource("id: \"x\", create: {retry: attempts: «0», file: {}}")},
		{"retry on", badValue, inResource("id: \"x\", create: {retry: on: [503, «\"conection\"»], file: {}}")},
		{"timeout without unit", badValue, inResource("id: \"x\", create: {timeout: «\"5\"», file: {}}")},
		{"timeout is a number", badValue, inResource("id: \"x\", create: {timeout: «5», file: {}}")},
		{"every without until", missingKey, inResource("id: \"x\", create: {«every»: \"5s\", file: {}}")},
		{"preview is text", wrongShape, inResource("id: \"x\", create: {preview: «\"yes\"», file: {}}")},
		{"step key misspelt", unknownKey, inResource("id: \"x\", create: {«forEeach»: [], file: {}}")},
		{"onFailure in update", misplacedKey, inResource(idAndCreate + "update: {«onFailure»: [{file: {}}], file: {}}")},
		{"onFailure is a step", wrongShape, inResource("id: \"x\", create: {onFailure: «{file: {}}», file: {}}")},
		{"type as argument", typeAsValue, inResource("id: \"x\", create: file: write: path: «string»")},
		{"optional argument", typeAsValue, inResource("id: \"x\", create: file: write: «path»?: \"x\"")},
		{"bytes as argument", bytesValue, inResource("id: \"x\", create: file: write: path: «'x'»")},
		{"check without message", missingKey, inResource(idAndCreate + "checks: [«{»assert: \"${true}\"}]")},
		{"check key", unknownKey, inResource(idAndCreate + "checks: [{assert: \"${true}\", message: \"m\", «proprety»: \"p\"}]")},
		{"diff rule without replace", missingKey, inResource(idAndCreate + "diff: rules: [«{»if: \"${true}\"}]")},
		{"schemaVersion is text", badValue, inResource(idAndCreate + "schemaVersion: «\"1\"»")},
		{"schemaVersion without upgrade", upgradeGap, inResource(idAndCreate + "schemaVersion: «1»")},
		{"upgrade with a gap", upgradeGap, inResource(idAndCreate + "schemaVersion: 2, «upgrade»: {\"1\": \"${old}\"}")},
		{"upgrade from the future", upgradeGap, inResource(idAndCreate + "schemaVersion: 1, upgrade: {\"0\": \"${old}\", «\"1\"»: \"${old}\"}")},
		{"upgrade from a word", badName, inResource(idAndCreate + "schemaVersion: 1, upgrade: {\"0\": \"${old}\", «\"one\"»: \"${old}\"}")},
		{"list without items", missingKey, inResource(idAndCreate + "«list»: {file: {}, id: \"${each.value}\"}")},
		{"method without step", missingKey, inResource(idAndCreate + "methods: «go»: inputs: {}")},
		{"frozen default", frozenReference, inResource("id: \"x\", create: file: write: mode: «inputs.mode»")},
		{"frozen by interpolation", frozenReference, inResource("id: \"x\", create: file: write: mode: \"\\(«inputs.mode»)\"")},
		{"frozen output", frozenReference, inResource("id: «outputs.size», create: file: write: path: \"x\"")},
		{"frozen from afar", frozenReference, inResource("id: \"x\", create: file: write: mode: «resources.A.inputs.mode»")},
		{"frozen config", frozenReference, cueHead + "config: root: *\".\" | string\nfile: root: «config.root»"},
		{"frozen let", frozenReference, cueHead + "config: root: *\".\" | string\nlet r = «config.root»\nfile: root: r"},
		{"attribute on a step", misplacedAttribute, inResource("id: \"x\", create: file: write: path: \"x\" «@secret()»")},
		{"unknown reference", unknownReference, inResource("id: \"x\", create: file: write: path: «foo»")},
		{"conflict in data", conflict, inResource("id: \"x\", create: file: write: path: «\"a\"» & \"b\"")},
		{"conflict over declarations", conflict, cueHead + "file: root: «\"a\"»\nfile: root: \"b\""},
		{"component and resource", duplicateName, inResource(idAndCreate) + "components: «A»: children: {}"},
		{"unused import", unusedImport, "import «\"strings\"»\n" + cueHead},
		{"unused let", unusedImport, cueHead + "let «a» = 1"},
		{"frozen from another declaration", frozenReference, cueHead + "resources: A: {inputs: mode: *\"x\" | string, id: \"x\", create: file: {}}\nR=resources: B: {id: «R.A.inputs.mode», create: file: {}}"},
		{"frozen by an alias", frozenReference, inResource("I=inputs: x?: int, id: \"x\", create: file: a: «I.x»")},
		{"frozen in a call", frozenReference, "import \"strings\"\n" + inResource("id: \"x\", create: file: a: strings.ToUpper(«inputs.mode»)")},
		{"not of the definition", fieldNotAllowed, cueHead + "#T: root?: string\nfile: #T & {«roott»: \"x\"}"},
		{"a type through a reference", typeAsValue, cueHead + "_x: string\nfile: root: «_x»"},
		{"step without action in read", emptySteps, inResource(idAndCreate + "«read»: {}")},
		{"schemaVersion misspelt", unknownKey, inResource(idAndCreate + "«schemaVerion»: 1, upgrade: {\"0\": \"${old}\"}")},
		{"language is text", badLanguage, cueHead + "language: nodejs: «\"x\"»"},
		{"resource is text", wrongShape, cueHead + "resources: A: «\"x\"»"},
		{"function name", badName, cueHead + "functions: «Go»: return: \"x\""},
		{"function without step", missingKey, cueHead + "functions: «go»: inputs: {}"},
		{"action with outputs", misplacedKey, cueHead + "actions: Go: {«outputs»: {}, file: {}}"},
		{"component without children", missingKey, cueHead + "components: «A»: inputs: {}"},
		{"child without type", missingKey, cueHead + "components: A: children: «c»: inputs: {}"},
		{"child's option", unknownKey, cueHead + "components: A: children: c: {type: \"B\", options: «dependOn»: []}"},
		{"child's options as text", wrongShape, inChild("options: «\"${x}\"»")},
		{"child's option of one child", wrongShape, inChild("options: dependsOn: «\"b\"»")},
		{"child's option that is a truth", wrongShape, inChild("options: protect: «1»")},
		{"child's option that is written out", wrongShape, inChild("options: component: «\"${true}\"»")},
		{"child's alias", unknownKey, inChild("options: aliases: [{«nmae»: \"b\"}]")},
		{"child's alias as a number", wrongShape, inChild("options: aliases: [«3»]")},
		{"child's timeout", unknownKey, inChild("options: customTimeouts: «crate»: \"1m\"")},
		{"child's timeout without unit", badValue, inChild("options: customTimeouts: create: «60»")},
		{"child's option with a question mark", typeAsValue, inChild("options: «protect»?: true")},
		{"ephemeral without open", missingKey, cueHead + "ephemerals: «A»: outputs: {}"},
		{"renewAfter without renew", missingKey, cueHead + "ephemerals: A: {open: file: {}, «renewAfter»: \"${1}\"}"},
		{"children of text", wrongShape, cueHead + "components: A: children: «\"x\"»"},
		{"list hides the package", shadowedPackage, "import \"list\"\n" + inResource("inputs: {a: [...string] & list.MaxItems(3), b: [...string] & list.MinItems(3)}, «list»: {file: list: path: \".\", items: \"${result.items}\", id: \"${each.value.path}\"}, id: \"x\", create: file: {}")},
		{"property hides the package", shadowedPackage, "import \"time\"\n" + inResource("inputs: {«time»: time.Duration}, id: \"x\", create: file: {}")},
		{"unknown import", importFailed, "import «\"acme.test/x\"»\n" + cueHead + "a: x.y"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { checkMistake(t, "cue", c.src, c.code) })
	}
}

// inChild is a spec with a component of one child, which says so much more.
func inChild(more string) string {
	return cueHead + "components: A: children: c: {type: \"B\", " + more + "}"
}

func TestMistakesInTypes(t *testing.T) {
	cases := []struct{ name, code, src string }{
		{"contradiction", conflict, `a: «int» & "x"`},
		{"contradicting bounds", conflict, `a?: «>10» & <5`},
		{"contradicting lengths", conflict, `a: =~"a" & =~"b", b: («string» & !="") & int`},
		{"comprehension on a value", conditionalType, "k: \"a\" | \"b\"\nif «k» == \"a\" {x: int}"},
		{"comprehension on a default", conditionalType, "k: *\"a\" | \"b\"\nif «k» == \"a\" {x: int}"},
		{"interpolation", interpolatedType, "k: string\na: *«\"\\(k)-x\"» | string"},
		{"shadowed type", shadowedType, "«string»: string"},
		{"cross-field bound", crossField, "min: int\nmax: int & >=«min»"},
		{"sibling's type", crossField, "a: *\"x\" | string\nb: «a»"},
		{"bytes", bytesType, "a: «bytes»"},
		{"tuple", tupleType, "a: «[int, string]»"},
		{"list literal", tupleType, "a: «[\"x\"]»"},
		{"union without tag", untaggedUnion, "a: «{x: int} | {y: int}»"},
		{"default outside the pattern", defaultViolates, "a: *«\"x\"» | =~\"^a\""},
		{"default outside the bound", defaultViolates, "a: *«1» | (int & >5)"},
		{"default lost to a bound", defaultViolates, "a: (*«1» | int) & >5"},
		{"default of a type", defaultNotConcrete, "a: *«string» | int"},
		{"regular expression", badRegexp, "a: «=~\"(\"»"},
		{"unknown function", unsupportedType, "import «x»"},
		{"bad property name", badName, "«\"a-b\"»: string"},
		{"reserved id", reservedName, "«id»: string"},
		{"reserved underscores", reservedName, "«\"__x\"»: string"},
		{"open inputs", openObject, "..."},
		{"nothing by that name", unknownReference, "a: «_nowhere»"},
		{"unknown attribute", unknownAttribute, "a: string «@secert()»"},
		{"one wire name twice", duplicateName, "a: string @wire(b)\n«b»: string"},
		{"env on an input", misplacedAttribute, "a: string «@env(X)»"},
		{"stable on an input", misplacedAttribute, "a: string «@stable()»"},
		{"set on a string", badAttribute, "a: string «@set()»"},
		{"key on a string", badAttribute, "a: string «@key(x)»"},
		{"key of no field", badAttribute, "a: [...{name: string}] «@key(nmae)»"},
		{"autoname on an int", badAttribute, "a: int «@autoname()»"},
		{"autoname argument", badAttribute, "a: string «@autoname(maxx=3)»"},
		{"autoname inside a struct", misplacedAttribute, "a: {b: string «@autoname()»}"},
		{"equal rule", badAttribute, "a: string «@equal(fodl)»"},
		{"equal on an int", badAttribute, "a: int «@equal(fold)»"},
		{"secret with an argument", badAttribute, "a: string «@secret(true)»"},
		{"default without expression", badAttribute, "a: string «@default(x)»"},
		{"wire without name", badAttribute, "a: string «@wire()»"},
		{"name for nobody", badAttribute, "a: string «@name(pyton=\"x\")»"},
		{"deprecated without text", badAttribute, "a: string «@deprecated()»"},
		{"attribute of the block", misplacedAttribute, "«@secret()»"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := inInputs(c.src)
			switch c.name {
			case "unknown function":
				src = "import \"net\"\n" + inInputs("a: «net.IPv4»")
			case "open inputs":
				src = cueHead + "resources: A: {id: \"x\", create: file: write: path: \"x\", inputs: «{a: int, ...}»}"
			}
			checkMistake(t, "cue", src, c.code)
		})
	}
}
