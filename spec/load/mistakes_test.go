package load_test

import (
	"testing"

	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/names"
)

func inResource(s string) string {
	return loadtest.Head + "resources: A: {inputs: {mode: *\"0644\" | string, n?: int}, outputs: size: int\n" + s + "\n}\n"
}

const idAndCreate = "id: \"x\", create: file: write: path: \"x\"\n"

func TestMistakesInCUE(t *testing.T) {
	cases := []struct{ name, code, src string }{
		{"syntax", source.CodeSyntaxError, loadtest.Head + "a: {b: 1 «:» 2}"},
		{"no name", source.CodeMissingKey, "«version»: \"1.0.0\""},
		{"no version", source.CodeMissingKey, "«name»: \"xy\""},
		{"name with capitals", names.CodeName, "name: «\"Pets\"», version: \"1.0.0\""},
		{"taken name", names.CodeReserved, "name: «\"pulumi\"», version: \"1.0.0\""},
		{"name is a number", source.CodeWrongShape, "name: «1», version: \"1.0.0\""},
		{"version is a number", source.CodeBadVersion, "name: \"xy\", version: «1.0»"},
		{"version in two parts", source.CodeBadVersion, "name: \"xy\", version: «\"1.0\"»"},
		{"version with v", source.CodeBadVersion, "name: \"xy\", version: «\"v1.0.0\"»"},
		{"misspelt top key", source.CodeUnknownKey, loadtest.Head + "«resourcess»: {}"},
		{"top key with capital", source.CodeUnknownKey, loadtest.Head + "«Foo»: {}"},
		{"keywords is text", source.CodeWrongShape, loadtest.Head + "keywords: «\"a\"»"},
		{"keyword is a number", source.CodeWrongShape, loadtest.Head + "keywords: [\"a\", «1»]"},
		{"resources is a list", source.CodeWrongShape, loadtest.Head + "resources: «[]»"},
		{"permission misspelt", source.CodeUnknownKey, loadtest.Head + "permissions: «wirte»: []"},
		{"permission is text", source.CodeWrongShape, loadtest.Head + "permissions: write: «\"/srv/**\"»"},
		{"resource name", names.CodeName, loadtest.Head + "resources: «pet»: {" + idAndCreate + "}"},
		{"resource name quoted", names.CodeName, loadtest.Head + "resources: «\"My-Pet\"»: {" + idAndCreate + "}"},
		{"no id", source.CodeMissingKey, loadtest.Head + "resources: «A»: create: file: write: path: \"x\""},
		{"no create", source.CodeMissingKey, loadtest.Head + "resources: «A»: id: \"x\""},
		{"misspelt resource key", source.CodeUnknownKey, inResource(idAndCreate + "«craete»: {}")},
		{"misspelt create", source.CodeUnknownKey, loadtest.Head + "resources: A: {id: \"x\", «craete»: file: {}}"},
		{"misspelt name", source.CodeUnknownKey, "«nmae»: \"x\", version: \"1.0.0\""},
		{"no values", source.CodeBadValue, loadtest.Head + "maxValues: «0»"},
		{"too many values", source.CodeBadValue, loadtest.Head + "maxValues: «1000000001»"},
		{"a template for values", source.CodeBadValue, loadtest.Head + "maxValues: «\"${config.n}\"»"},
		{"wire rule", source.CodeBadValue, inResource(idAndCreate + "wire: «\"snake\"»")},
		{"id is a number", source.CodeWrongShape, inResource("id: «1», create: file: write: path: \"x\"")},
		{"operation is a list", source.CodeWrongShape, inResource("id: \"x\", create: «[{file: {}}]»")},
		{"empty steps", source.CodeEmptySteps, inResource("id: \"x\", create: steps: «[]»")},
		{"empty step", source.CodeEmptySteps, inResource("id: \"x\", create: steps: [«{»}]")},
		{"step key next to steps", source.CodeStepBesideSteps, inResource("id: \"x\", create: {steps: [{file: {}}], «as»: \"a\"}")},
		{"action next to steps", source.CodeStepBesideSteps, inResource("id: \"x\", create: {steps: [{file: {}}], «http»: {}}")},
		{"same name twice", source.CodeDuplicateName, inResource("id: \"x\", create: steps: [{as: \"a\", file: {}}, {as: «\"a\"», file: {}}]")},
		{"name of a step", names.CodeName, inResource("id: \"x\", create: {as: «\"a-b\"», file: {}}")},
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
		{"upgrade from a word", names.CodeName, inResource(idAndCreate + "schemaVersion: 1, upgrade: {\"0\": \"${old}\", «\"one\"»: \"${old}\"}")},
		{"list without items", source.CodeMissingKey, inResource(idAndCreate + "«list»: {file: {}, id: \"${each.value}\"}")},
		{"method without step", source.CodeMissingKey, inResource(idAndCreate + "methods: «go»: inputs: {}")},
		{"frozen default", source.CodeFrozenReference, inResource("id: \"x\", create: file: write: mode: «inputs.mode»")},
		{"frozen by interpolation", source.CodeFrozenReference, inResource("id: \"x\", create: file: write: mode: \"\\(«inputs.mode»)\"")},
		{"frozen output", source.CodeFrozenReference, inResource("id: «outputs.size», create: file: write: path: \"x\"")},
		{"frozen from afar", source.CodeFrozenReference, inResource("id: \"x\", create: file: write: mode: «resources.A.inputs.mode»")},
		{"frozen config", source.CodeFrozenReference, loadtest.Head + "config: root: *\".\" | string\nfile: root: «config.root»"},
		{"frozen let", source.CodeFrozenReference, loadtest.Head + "config: root: *\".\" | string\nlet r = «config.root»\nfile: root: r"},
		{"attribute on a step", source.CodeMisplacedAttribute, inResource("id: \"x\", create: file: write: path: \"x\" «@secret()»")},
		{"unknown reference", source.CodeUnknownReference, inResource("id: \"x\", create: file: write: path: «foo»")},
		{"conflict in data", source.CodeConflict, inResource("id: \"x\", create: file: write: path: «\"a\"» & \"b\"")},
		{"conflict over declarations", source.CodeConflict, loadtest.Head + "file: root: «\"a\"»\nfile: root: \"b\""},
		{"component and resource", source.CodeDuplicateName, inResource(idAndCreate) + "components: «A»: children: {}"},
		{"unused import", source.CodeUnusedImport, "import «\"strings\"»\n" + loadtest.Head},
		{"unused let", source.CodeUnusedImport, loadtest.Head + "let «a» = 1"},
		{"frozen from another declaration", source.CodeFrozenReference, loadtest.Head + "resources: A: {inputs: mode: *\"x\" | string, id: \"x\", create: file: {}}\nR=resources: B: {id: «R.A.inputs.mode», create: file: {}}"},
		{"frozen by an alias", source.CodeFrozenReference, inResource("I=inputs: x?: int, id: \"x\", create: file: a: «I.x»")},
		{"frozen in a call", source.CodeFrozenReference, "import \"strings\"\n" + inResource("id: \"x\", create: file: a: strings.ToUpper(«inputs.mode»)")},
		{"not of the definition", source.CodeFieldNotAllowed, loadtest.Head + "#T: root?: string\nfile: #T & {«roott»: \"x\"}"},
		{"a type through a reference", source.CodeTypeAsValue, loadtest.Head + "_x: string\nfile: root: «_x»"},
		{"step without action in read", source.CodeEmptySteps, inResource(idAndCreate + "«read»: {}")},
		{"schemaVersion misspelt", source.CodeUnknownKey, inResource(idAndCreate + "«schemaVerion»: 1, upgrade: {\"0\": \"${old}\"}")},
		{"language is text", names.CodeLanguage, loadtest.Head + "language: nodejs: «\"x\"»"},
		{"resource is text", source.CodeWrongShape, loadtest.Head + "resources: A: «\"x\"»"},
		{"function name", names.CodeName, loadtest.Head + "functions: «Go»: return: \"x\""},
		{"function without step", source.CodeMissingKey, loadtest.Head + "functions: «go»: inputs: {}"},
		{"action with outputs", source.CodeMisplacedKey, loadtest.Head + "actions: Go: {«outputs»: {}, file: {}}"},
		{"component without children", source.CodeMissingKey, loadtest.Head + "components: «A»: inputs: {}"},
		{"child without type", source.CodeMissingKey, loadtest.Head + "components: A: children: «c»: inputs: {}"},
		{"child's option", source.CodeUnknownKey, loadtest.Head + "components: A: children: c: {type: \"B\", options: «dependOn»: []}"},
		{"child's options as text", source.CodeWrongShape, inChild("options: «\"${x}\"»")},
		{"child's option of one child", source.CodeWrongShape, inChild("options: dependsOn: «\"b\"»")},
		{"child's option that is a truth", source.CodeWrongShape, inChild("options: protect: «1»")},
		{"child's option that is written out", source.CodeWrongShape, inChild("options: component: «\"${true}\"»")},
		{"child's alias", source.CodeUnknownKey, inChild("options: aliases: [{«nmae»: \"b\"}]")},
		{"child's alias as a number", source.CodeWrongShape, inChild("options: aliases: [«3»]")},
		{"child's timeout", source.CodeUnknownKey, inChild("options: customTimeouts: «crate»: \"1m\"")},
		{"child's timeout without unit", source.CodeBadValue, inChild("options: customTimeouts: create: «60»")},
		{"child's option with a question mark", source.CodeTypeAsValue, inChild("options: «protect»?: true")},
		{"ephemeral without open", source.CodeMissingKey, loadtest.Head + "ephemerals: «A»: outputs: {}"},
		{"renewAfter without renew", source.CodeMissingKey, loadtest.Head + "ephemerals: A: {open: file: {}, «renewAfter»: \"${1}\"}"},
		{"children of text", source.CodeWrongShape, loadtest.Head + "components: A: children: «\"x\"»"},
		{"list hides the package", source.CodeShadowedPackage, "import \"list\"\n" + inResource("inputs: {a: [...string] & list.MaxItems(3), b: [...string] & list.MinItems(3)}, «list»: {file: list: path: \".\", items: \"${result.items}\", id: \"${each.value.path}\"}, id: \"x\", create: file: {}")},
		{"property hides the package", source.CodeShadowedPackage, "import \"time\"\n" + inResource("inputs: {«time»: time.Duration}, id: \"x\", create: file: {}")},
		{"unknown import", source.CodeImportFailed, "import «\"acme.test/x\"»\n" + loadtest.Head + "a: x.y"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { loadtest.Mistake(t, "cue", c.src, c.code) })
	}
}

// inChild returns a spec with a component that has one child with these additional
// members.
func inChild(more string) string {
	return loadtest.Head + "components: A: children: c: {type: \"B\", " + more + "}"
}
