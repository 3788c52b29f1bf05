package schema_test

import (
	"bytes"
	"regexp"
	"testing"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"

	"github.com/declprov/declprov/spec"
)

// TestNamesOfSDKs checks the names that docs/share.md promises of SDKs, and that SDKs contain the
// URL of the plugin.
func TestNamesOfSDKs(t *testing.T) {
	const url = "https://plugins.example.com/petstore"
	sdks := func(m spec.Metadata) map[string]map[string][]byte {
		t.Helper()
		m.Name, m.Version, m.PluginDownloadURL = "petstore", "0.1.0", url
		p := &spec.Provider{Metadata: m, Config: &spec.Type{Kind: spec.Object}}
		node, err := nodejs.GeneratePackage("test", bind(t, p), nil, nil, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		snakes, err := python.GeneratePackage("test", bind(t, p), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		gophers, err := gogen.GeneratePackage("test", bind(t, p), nil)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]map[string][]byte{"TypeScript": node, "Python": snakes, "Go": gophers}
	}
	for name, test := range map[string]struct {
		metadata spec.Metadata
		want     map[string]string
	}{
		"no namespace": {spec.Metadata{}, map[string]string{
			"TypeScript": `"name": "@pulumi/petstore"`, "Python": `(?m)^ *name = "pulumi_petstore"$`, "Go": `(?m)^package petstore$`,
		}},
		"a namespace": {spec.Metadata{Namespace: "example", Publisher: "Example Ltd"}, map[string]string{
			"TypeScript": `"name": "@example/petstore"`, "Python": `(?m)^ *name = "example_petstore"$`, "Go": `(?m)^package petstore$`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for language, files := range sdks(test.metadata) {
				var all bytes.Buffer
				for _, text := range files {
					all.Write(text)
				}
				if !regexp.MustCompile(test.want[language]).Match(all.Bytes()) {
					t.Errorf("%s: the SDK has no %s", language, test.want[language])
				}
				if !bytes.Contains(all.Bytes(), []byte(url)) {
					t.Errorf("%s: the SDK does not contain %s", language, url)
				}
			}
		})
	}
}
