// Package editor checks what editors get: the JSON Schema of specs in YAML, by a validator, and
// the CUE definitions, by CUE's language server.
package editor

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/printer"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
)

// validator returns the JSON Schema of specs that declprov prints.
func validator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), provider.Binary(t), "schema", "--spec").Output()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("spec.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("spec.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// fragments are the specs that a test completes.
var fragments = regexp.MustCompile(`tests/sql/testdata/(strings|things)\.cue$`)

// specs returns the paths of the specs of the repository with an extension, except those with
// mistakes.
func specs(t *testing.T, extension string) []string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	named, versioned := regexp.MustCompile(`(?m)^name: `), regexp.MustCompile(`(?m)^version: `)
	var found []string
	for _, folder := range []string{"examples", "cmd", "spec", "tests"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != extension || strings.Contains(filepath.ToSlash(path), "/mistakes/") || fragments.MatchString(filepath.ToSlash(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			if named.Match(text) && versioned.Match(text) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// options is a spec with the blocks that no other spec has.
const options = `name: options
version: 0.1.0
file: {root: data}
http: {baseURL: "https://b.example.com"}
rest: {items: results, wait: {until: "${body.ready}", every: 1s, timeout: 1m, progress: waiting}}
resources:
  B:
    inputs: {name: string}
    rest: {path: /b, unique: name, wait: {until: "${body.done}", fail: "${body.error}"}}
  C:
    inputs: {name: string}
    rest: {path: /c, singleton: true, reset: {name: ""}, update: "PUT", form: brackets}
components:
  A:
    children:
      a:
        type: "random:index/randomPet:RandomPet"
        options: {aliases: [{name: b, noParent: true}, "urn"], customTimeouts: {create: 5m}}
`

// good returns the specs of the repository in YAML: those that are written in YAML, and the
// others as the printer writes them.
func good(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"options": []byte(options)}
	for _, path := range specs(t, ".yaml") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = text
	}
	for _, path := range specs(t, ".cue") {
		doc, diags := load.Load(t.Context(), load.Source{Path: path})
		if diags.HasErrors() {
			t.Errorf("%s: %v", path, diags)
			continue
		}
		text, err := printer.YAML(doc.Provider)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all[path] = text
	}
	if len(all) < 40 {
		t.Fatalf("found %d specs", len(all))
	}
	return all
}

// asJSON returns a YAML document as a validator of JSON takes it.
func asJSON(t *testing.T, node *yaml.Node) any {
	t.Helper()
	var value any
	if err := node.Decode(&value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSchema validates every good spec of the repository, and then makes mistakes in them, one
// at a time: an unknown key in each block and action, and a value of a wrong kind for each key.
func TestSchema(t *testing.T) {
	t.Parallel()
	m := mistakes{schema: validator(t), made: map[string]bool{}}
	for path, text := range good(t) {
		if err := yaml.Unmarshal(text, &m.doc); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := m.schema.Validate(asJSON(t, &m.doc)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if !bytes.Contains(text, []byte("<<: ")) { // what is merged has no place of its own
			m.inBlock(t, block.Provider, m.doc.Content[0])
		}
		m.doc = yaml.Node{}
	}
	for _, b := range blocks(block.Provider, nil) {
		if !m.made["an unknown key in "+b.What] {
			t.Errorf("no spec has %s", b.What)
		}
	}
}

// TestSchemaAgreesWithVet validates the specs with mistakes. The schema accepts those in which
// vet finds no error, and refuses those with a key that no block has.
func TestSchemaAgreesWithVet(t *testing.T) {
	t.Parallel()
	schema := validator(t)
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "tests", "mistakes", "testdata", "yaml", "*.yaml"))
	if err != nil || len(paths) < 100 {
		t.Fatalf("%d specs with mistakes, %v", len(paths), err)
	}
	out, err := exec.CommandContext(t.Context(), provider.Binary(t), append([]string{"vet", "--format", "json"}, paths...)...).Output()
	var found []struct{ File, Code, Severity string }
	if json.Unmarshal(out, &found) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	codes := map[string][]string{}
	for _, d := range found {
		if d.Severity == "error" {
			codes[d.File] = append(codes[d.File], d.Code)
		}
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var doc yaml.Node
		var value any
		if yaml.Unmarshal(text, &doc) != nil || doc.Decode(&value) != nil {
			continue // not YAML, or with a key twice
		}
		err = schema.Validate(asJSON(t, &doc))
		if len(codes[path]) == 0 && err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if slices.Contains(codes[path], "unknown-key") && err == nil {
			t.Errorf("%s: accepted, but vet finds an unknown key", path)
		}
	}
}

// blocks returns a block and those below it.
func blocks(b *block.Block, found []*block.Block) []*block.Block {
	if b == nil || slices.Contains(found, b) {
		return found
	}
	found = append(found, b)
	for _, k := range b.Keys {
		found = blocks(k.Of, found)
	}
	return found
}

// mistakes makes mistakes in a document, each kind of mistake once.
type mistakes struct {
	schema *jsonschema.Schema
	doc    yaml.Node
	made   map[string]bool
}

// expect reports a mistake that the schema accepts.
func (m *mistakes) expect(t *testing.T, mistake string) {
	t.Helper()
	if m.schema.Validate(asJSON(t, &m.doc)) == nil {
		t.Errorf("the schema accepts %s", mistake)
	}
	m.made[mistake] = true
}

// unknownKey adds a key that no block has.
func (m *mistakes) unknownKey(t *testing.T, where string, n *yaml.Node) {
	t.Helper()
	mistake := "an unknown key in " + where
	if n.Kind != yaml.MappingNode || m.made[mistake] {
		return
	}
	n.Content = append(n.Content, scalar("zzz"), scalar("x"))
	m.expect(t, mistake)
	n.Content = n.Content[:len(n.Content)-2]
}

// inBlock makes mistakes in a block and in the blocks and actions below it.
func (m *mistakes) inBlock(t *testing.T, b *block.Block, n *yaml.Node) {
	t.Helper()
	m.unknownKey(t, b.What, n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i].Value, n.Content[i+1]
		key := keyOf(b, name)
		if key == nil { // a family of actions
			m.inAction(t, name, value, b == block.Provider)
			continue
		}
		if mistake := "a wrong value of " + name + " in " + b.What; !m.made[mistake] && key.CUE != "_" {
			for _, wrong := range wrongValues(key.Kind) {
				n.Content[i+1] = wrong
				m.expect(t, mistake)
			}
			n.Content[i+1] = value
		}
		for _, inner := range inner(key, value) {
			m.inBlock(t, inner.block, inner.node)
		}
	}
}

// inAction makes mistakes in an action or a block of defaults.
func (m *mistakes) inAction(t *testing.T, family string, n *yaml.Node, defaults bool) {
	t.Helper()
	if defaults {
		m.unknownKey(t, "the defaults of "+family, n)
		return
	}
	m.unknownKey(t, "an action of "+family, n)
	if family != "http" && family != "exec" && len(n.Content) > 1 {
		m.unknownKey(t, family+"."+n.Content[0].Value, n.Content[1])
	}
}

// keyOf returns a key of a block or of those that it includes.
func keyOf(b *block.Block, name string) *block.Key {
	if key := b.Key(name); key != nil {
		return key
	}
	for _, has := range b.Has {
		included := map[string]*block.Block{"Operation": block.Operation, "Step": block.Step}[has]
		if key := keyOf(included, name); key != nil {
			return key
		}
	}
	return nil
}

// place is a block of a document.
type place struct {
	block *block.Block
	node  *yaml.Node
}

// inner returns the blocks in the value of a key.
func inner(key *block.Key, value *yaml.Node) []place {
	of := key.Of
	if key.Kind == block.Steps {
		of = block.Step
	}
	var nodes []*yaml.Node
	switch {
	case of == nil:
	case key.Kind == block.Members:
		for i := 1; i < len(value.Content); i += 2 {
			nodes = append(nodes, value.Content[i])
		}
	case value.Kind == yaml.SequenceNode:
		nodes = value.Content
	default:
		nodes = []*yaml.Node{value}
	}
	var places []place
	for _, n := range nodes {
		if n.Kind == yaml.MappingNode {
			places = append(places, place{of, n})
		}
	}
	return places
}

func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// wrongValues returns values that a key of a kind does not take.
func wrongValues(kind block.Kind) []*yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.SequenceNode}}}
	switch {
	case kind == block.Data:
		return nil
	case slices.Contains([]block.Kind{block.Text, block.Template, block.Bool, block.Condition, block.Duration, block.Count, block.Members}, kind):
		return []*yaml.Node{list, scalar("1.5")}
	case kind == block.Types || kind == block.Struct || kind == block.Steps:
		return []*yaml.Node{scalar("text"), scalar("7")}
	default:
		return []*yaml.Node{scalar("7"), scalar("true")}
	}
}
