package load

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
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
		if d.Summary == "" || d.Detail == "" || strings.HasSuffix(d.Summary, ".") || d.Subject.File != source.StdinName {
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
		{"syntax", source.CodeSyntaxError, cueHead + "a: {b: 1 «:» 2}"},
		{"no name", source.CodeMissingKey, "«version»: \"1.0.0\""},
		{"no version", source.CodeMissingKey, "«name»: \"xy\""},
		{"name with capitals", source.CodeBadName, "name: «\"Pets\"», version: \"1.0.0\""},
		{"taken name", source.CodeReservedName, "name: «\"pulumi\"», version: \"1.0.0\""},
		{"name is a number", source.CodeWrongShape, "name: «1», version: \"1.0.0\""},
		{"version is a number", source.CodeBadVersion, "name: \"xy\", version: «1.0»"},
		{"version in two parts", source.CodeBadVersion, "name: \"xy\", version: «\"1.0\"»"},
		{"version with v", source.CodeBadVersion, "name: \"xy\", version: «\"v1.0.0\"»"},
		{"misspelt top key", source.CodeUnknownKey, cueHead + "«resourcess»: {}"},
		{"top key with capital", source.CodeUnknownKey, cueHead + "«Foo»: {}"},
		{"keywords is text", source.CodeWrongShape, cueHead + "keywords: «\"a\"»"},
		{"keyword is a number", source.CodeWrongShape, cueHead + "keywords: [\"a\", «1»]"},
		{"resources is a list", source.CodeWrongShape, cueHead + "resources: «[]»"},
		{"permission misspelt", source.CodeUnknownKey, cueHead + "permissions: «wirte»: []"},
		{"permission is text", source.CodeWrongShape, cueHead + "permissions: write: «\"/srv/**\"»"},
		{"resource name", source.CodeBadName, cueHead + "resources: «pet»: {" + idAndCreate + "}"},
		{"resource name quoted", source.CodeBadName, cueHead + "resources: «\"My-Pet\"»: {" + idAndCreate + "}"},
		{"no id", source.CodeMissingKey, cueHead + "resources: «A»: create: file: write: path: \"x\""},
		{"no create", source.CodeMissingKey, cueHead + "resources: «A»: id: \"x\""},
		{"misspelt resource key", source.CodeUnknownKey, inResource(idAndCreate + "«craete»: {}")},
		{"misspelt create", source.CodeUnknownKey, cueHead + "resources: A: {id: \"x\", «craete»: file: {}}"},
		{"misspelt name", source.CodeUnknownKey, "«nmae»: \"x\", version: \"1.0.0\""},
		{"no values", source.CodeBadValue, cueHead + "maxValues: «0»"},
		{"too many values", source.CodeBadValue, cueHead + "maxValues: «1000000001»"},
		{"a template for values", source.CodeBadValue, cueHead + "maxValues: «\"${config.n}\"»"},
		{"wire rule", source.CodeBadValue, inResource(idAndCreate + "wire: «\"snake\"»")},
		{"id is a number", source.CodeWrongShape, inResource("id: «1», create: file: write: path: \"x\"")},
		{"operation is a list", source.CodeWrongShape, inResource("id: \"x\", create: «[{file: {}}]»")},
		{"empty steps", source.CodeEmptySteps, inResource("id: \"x\", create: steps: «[]»")},
		{"empty step", source.CodeEmptySteps, inResource("id: \"x\", create: steps: [«{»}]")},
		{"step key beside steps", source.CodeStepBesideSteps, inResource("id: \"x\", create: {steps: [{file: {}}], «as»: \"a\"}")},
		{"action beside steps", source.CodeStepBesideSteps, inResource("id: \"x\", create: {steps: [{file: {}}], «http»: {}}")},
		{"same name twice", source.CodeDuplicateName, inResource("id: \"x\", create: steps: [{as: \"a\", file: {}}, {as: «\"a\"», file: {}}]")},
		{"name of a step", source.CodeBadName, inResource("id: \"x\", create: {as: «\"a-b\"», file: {}}")},
		{"retry is a number", source.CodeWrongShape, inResource("id: \"x\", create: {retry: «3», file: {}}")},
		{"retry key", source.CodeUnknownKey, inResource("id: \"x\", create: {retry: «attemps»: 3, file: {}}")},
		{"retry attempts", source.CodeBadValue, inResource("id: \"x\", create: {retry: attempts: «0», file: {}}")},
		{"retry on", source.CodeBadValue, inResource("id: \"x\", create: {retry: on: [503, «\"conection\"»], file: {}}")},
		{"timeout without unit", source.CodeBadValue, inResource("id: \"x\", create: {timeout: «\"5\"», file: {}}")},
		{"timeout is a number", source.CodeBadValue, inResource("id: \"x\", create: {timeout: «5», file: {}}")},
		{"every without until", source.CodeMissingKey, inResource("id: \"x\", create: {«every»: \"5s\", file: {}}")},
		{"preview is text", source.CodeWrongShape, inResource("id: \"x\", create: {preview: «\"yes\"», file: {}}")},
		{"step key misspelt", source.CodeUnknownKey, inResource("id: \"x\", create: {«forEeach»: [], file: {}}")},
		{"onFailure in update", source.CodeMisplacedKey, inResource(idAndCreate + "update: {«onFailure»: [{file: {}}], file: {}}")},
		{"onFailure is a step", source.CodeWrongShape, inResource("id: \"x\", create: {onFailure: «{file: {}}», file: {}}")},
		{"type as argument", source.CodeTypeAsValue, inResource("id: \"x\", create: file: write: path: «string»")},
		{"optional argument", source.CodeTypeAsValue, inResource("id: \"x\", create: file: write: «path»?: \"x\"")},
		{"bytes as argument", source.CodeBytesValue, inResource("id: \"x\", create: file: write: path: «'x'»")},
		{"check without message", source.CodeMissingKey, inResource(idAndCreate + "checks: [«{»assert: \"${true}\"}]")},
		{"check key", source.CodeUnknownKey, inResource(idAndCreate + "checks: [{assert: \"${true}\", message: \"m\", «proprety»: \"p\"}]")},
		{"diff rule without replace", source.CodeMissingKey, inResource(idAndCreate + "diff: rules: [«{»if: \"${true}\"}]")},
		{"schemaVersion is text", source.CodeBadValue, inResource(idAndCreate + "schemaVersion: «\"1\"»")},
		{"schemaVersion without upgrade", source.CodeUpgradeGap, inResource(idAndCreate + "schemaVersion: «1»")},
		{"upgrade with a gap", source.CodeUpgradeGap, inResource(idAndCreate + "schemaVersion: 2, «upgrade»: {\"1\": \"${old}\"}")},
		{"upgrade from the future", source.CodeUpgradeGap, inResource(idAndCreate + "schemaVersion: 1, upgrade: {\"0\": \"${old}\", «\"1\"»: \"${old}\"}")},
		{"upgrade from a word", source.CodeBadName, inResource(idAndCreate + "schemaVersion: 1, upgrade: {\"0\": \"${old}\", «\"one\"»: \"${old}\"}")},
		{"list without items", source.CodeMissingKey, inResource(idAndCreate + "«list»: {file: {}, id: \"${each.value}\"}")},
		{"method without step", source.CodeMissingKey, inResource(idAndCreate + "methods: «go»: inputs: {}")},
		{"frozen default", source.CodeFrozenReference, inResource("id: \"x\", create: file: write: mode: «inputs.mode»")},
		{"frozen by interpolation", source.CodeFrozenReference, inResource("id: \"x\", create: file: write: mode: \"\\(«inputs.mode»)\"")},
		{"frozen output", source.CodeFrozenReference, inResource("id: «outputs.size», create: file: write: path: \"x\"")},
		{"frozen from afar", source.CodeFrozenReference, inResource("id: \"x\", create: file: write: mode: «resources.A.inputs.mode»")},
		{"frozen config", source.CodeFrozenReference, cueHead + "config: root: *\".\" | string\nfile: root: «config.root»"},
		{"frozen let", source.CodeFrozenReference, cueHead + "config: root: *\".\" | string\nlet r = «config.root»\nfile: root: r"},
		{"attribute on a step", source.CodeMisplacedAttribute, inResource("id: \"x\", create: file: write: path: \"x\" «@secret()»")},
		{"unknown reference", source.CodeUnknownReference, inResource("id: \"x\", create: file: write: path: «foo»")},
		{"conflict in data", source.CodeConflict, inResource("id: \"x\", create: file: write: path: «\"a\"» & \"b\"")},
		{"conflict over declarations", source.CodeConflict, cueHead + "file: root: «\"a\"»\nfile: root: \"b\""},
		{"component and resource", source.CodeDuplicateName, inResource(idAndCreate) + "components: «A»: children: {}"},
		{"unused import", source.CodeUnusedImport, "import «\"strings\"»\n" + cueHead},
		{"unused let", source.CodeUnusedImport, cueHead + "let «a» = 1"},
		{"frozen from another declaration", source.CodeFrozenReference, cueHead + "resources: A: {inputs: mode: *\"x\" | string, id: \"x\", create: file: {}}\nR=resources: B: {id: «R.A.inputs.mode», create: file: {}}"},
		{"frozen by an alias", source.CodeFrozenReference, inResource("I=inputs: x?: int, id: \"x\", create: file: a: «I.x»")},
		{"frozen in a call", source.CodeFrozenReference, "import \"strings\"\n" + inResource("id: \"x\", create: file: a: strings.ToUpper(«inputs.mode»)")},
		{"not of the definition", source.CodeFieldNotAllowed, cueHead + "#T: root?: string\nfile: #T & {«roott»: \"x\"}"},
		{"a type through a reference", source.CodeTypeAsValue, cueHead + "_x: string\nfile: root: «_x»"},
		{"step without action in read", source.CodeEmptySteps, inResource(idAndCreate + "«read»: {}")},
		{"schemaVersion misspelt", source.CodeUnknownKey, inResource(idAndCreate + "«schemaVerion»: 1, upgrade: {\"0\": \"${old}\"}")},
		{"language is text", source.CodeBadLanguage, cueHead + "language: nodejs: «\"x\"»"},
		{"resource is text", source.CodeWrongShape, cueHead + "resources: A: «\"x\"»"},
		{"function name", source.CodeBadName, cueHead + "functions: «Go»: return: \"x\""},
		{"function without step", source.CodeMissingKey, cueHead + "functions: «go»: inputs: {}"},
		{"action with outputs", source.CodeMisplacedKey, cueHead + "actions: Go: {«outputs»: {}, file: {}}"},
		{"component without children", source.CodeMissingKey, cueHead + "components: «A»: inputs: {}"},
		{"child without type", source.CodeMissingKey, cueHead + "components: A: children: «c»: inputs: {}"},
		{"child's option", source.CodeUnknownKey, cueHead + "components: A: children: c: {type: \"B\", options: «dependOn»: []}"},
		{"child's options as text", source.CodeWrongShape, inChild("options: «\"${x}\"»")},
		{"child's option of one child", source.CodeWrongShape, inChild("options: dependsOn: «\"b\"»")},
		{"child's option that is a truth", source.CodeWrongShape, inChild("options: protect: «1»")},
		{"child's option that is written out", source.CodeWrongShape, inChild("options: component: «\"${true}\"»")},
		{"child's alias", source.CodeUnknownKey, inChild("options: aliases: [{«nmae»: \"b\"}]")},
		{"child's alias as a number", source.CodeWrongShape, inChild("options: aliases: [«3»]")},
		{"child's timeout", source.CodeUnknownKey, inChild("options: customTimeouts: «crate»: \"1m\"")},
		{"child's timeout without unit", source.CodeBadValue, inChild("options: customTimeouts: create: «60»")},
		{"child's option with a question mark", source.CodeTypeAsValue, inChild("options: «protect»?: true")},
		{"ephemeral without open", source.CodeMissingKey, cueHead + "ephemerals: «A»: outputs: {}"},
		{"renewAfter without renew", source.CodeMissingKey, cueHead + "ephemerals: A: {open: file: {}, «renewAfter»: \"${1}\"}"},
		{"children of text", source.CodeWrongShape, cueHead + "components: A: children: «\"x\"»"},
		{"list hides the package", source.CodeShadowedPackage, "import \"list\"\n" + inResource("inputs: {a: [...string] & list.MaxItems(3), b: [...string] & list.MinItems(3)}, «list»: {file: list: path: \".\", items: \"${result.items}\", id: \"${each.value.path}\"}, id: \"x\", create: file: {}")},
		{"property hides the package", source.CodeShadowedPackage, "import \"time\"\n" + inResource("inputs: {«time»: time.Duration}, id: \"x\", create: file: {}")},
		{"unknown import", source.CodeImportFailed, "import «\"acme.test/x\"»\n" + cueHead + "a: x.y"},
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
		{"contradiction", source.CodeConflict, `a: «int» & "x"`},
		{"contradicting bounds", source.CodeConflict, `a?: «>10» & <5`},
		{"contradicting lengths", source.CodeConflict, `a: =~"a" & =~"b", b: («string» & !="") & int`},
		{"comprehension on a value", source.CodeConditionalType, "k: \"a\" | \"b\"\nif «k» == \"a\" {x: int}"},
		{"comprehension on a default", source.CodeConditionalType, "k: *\"a\" | \"b\"\nif «k» == \"a\" {x: int}"},
		{"interpolation", source.CodeInterpolatedType, "k: string\na: *«\"\\(k)-x\"» | string"},
		{"shadowed type", source.CodeShadowedType, "«string»: string"},
		{"cross-field bound", source.CodeCrossField, "min: int\nmax: int & >=«min»"},
		{"sibling's type", source.CodeCrossField, "a: *\"x\" | string\nb: «a»"},
		{"bytes", source.CodeBytesType, "a: «bytes»"},
		{"tuple", source.CodeTupleType, "a: «[int, string]»"},
		{"list literal", source.CodeTupleType, "a: «[\"x\"]»"},
		{"union without tag", source.CodeUntaggedUnion, "a: «{x: int} | {y: int}»"},
		{"default outside the pattern", source.CodeDefaultViolates, "a: *«\"x\"» | =~\"^a\""},
		{"default outside the bound", source.CodeDefaultViolates, "a: *«1» | (int & >5)"},
		{"default lost to a bound", source.CodeDefaultViolates, "a: (*«1» | int) & >5"},
		{"default of a type", source.CodeDefaultNotConcrete, "a: *«string» | int"},
		{"regular expression", source.CodeBadRegexp, "a: «=~\"(\"»"},
		{"unknown function", source.CodeUnsupportedType, "import «x»"},
		{"bad property name", source.CodeBadName, "«\"a-b\"»: string"},
		{"reserved id", source.CodeReservedName, "«id»: string"},
		{"reserved underscores", source.CodeReservedName, "«\"__x\"»: string"},
		{"open inputs", source.CodeOpenObject, "..."},
		{"nothing by that name", source.CodeUnknownReference, "a: «_nowhere»"},
		{"unknown attribute", source.CodeUnknownAttribute, "a: string «@secert()»"},
		{"one wire name twice", source.CodeDuplicateName, "a: string @wire(b)\n«b»: string"},
		{"env on an input", source.CodeMisplacedAttribute, "a: string «@env(X)»"},
		{"stable on an input", source.CodeMisplacedAttribute, "a: string «@stable()»"},
		{"set on a string", source.CodeBadAttribute, "a: string «@set()»"},
		{"key on a string", source.CodeBadAttribute, "a: string «@key(x)»"},
		{"key of no field", source.CodeBadAttribute, "a: [...{name: string}] «@key(nmae)»"},
		{"autoname on an int", source.CodeBadAttribute, "a: int «@autoname()»"},
		{"autoname argument", source.CodeBadAttribute, "a: string «@autoname(maxx=3)»"},
		{"autoname inside a struct", source.CodeMisplacedAttribute, "a: {b: string «@autoname()»}"},
		{"equal rule", source.CodeBadAttribute, "a: string «@equal(fodl)»"},
		{"equal on an int", source.CodeBadAttribute, "a: int «@equal(fold)»"},
		{"secret with an argument", source.CodeBadAttribute, "a: string «@secret(true)»"},
		{"default without expression", source.CodeBadAttribute, "a: string «@default(x)»"},
		{"wire without name", source.CodeBadAttribute, "a: string «@wire()»"},
		{"name for nobody", source.CodeBadAttribute, "a: string «@name(pyton=\"x\")»"},
		{"deprecated without text", source.CodeBadAttribute, "a: string «@deprecated()»"},
		{"attribute of the block", source.CodeMisplacedAttribute, "«@secret()»"},
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
