package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/spec/diag"
)

// ofPackages is a component with a child of another package, under permissions.
func ofPackages(permissions, typ, options string) string {
	return fmt.Sprintf(`%s
components: Site: {
	inputs: {version?: string, from?: string}
	children: {
		east: {type: "pulumi:providers:other"}
		pet: {type: %q, options: {%s}}
	}
}`, permissions, typ, options)
}

// TestPackagesArePermitted: what a component makes of other packages is granted, or vet
// refuses it: the package, its version, and where its plugin comes from.
func TestPackagesArePermitted(t *testing.T) {
	for name, tc := range map[string]struct {
		permissions, typ, options string
		want                      string // where it is refused, "" for not at all
	}{
		"no block":                   {"", "other:index:Pet", ``, ""},
		"nothing granted":            {`permissions: {}`, "other:index:Pet", ``, "type"},
		"any version":                {`permissions: packages: ["other"]`, "other:index:Pet", `version: "1.2.3"`, ""},
		"another package":            {`permissions: packages: ["other"]`, "more:index:Pet", ``, "type"},
		"the name is not all of it":  {`permissions: packages: ["other"]`, "other-more:index:Pet", ``, "type"},
		"a provider of another":      {`permissions: packages: ["other"]`, "pulumi:providers:more", ``, "type"},
		"other stacks":               {`permissions: packages: ["other"]`, "pulumi:pulumi:StackReference", ``, "type"},
		"one version":                {`permissions: packages: ["other@1.2.3"]`, "other:index:Pet", `version: "1.2.3"`, ""},
		"one version, with v":        {`permissions: packages: ["other@v1.2.3"]`, "other:index:Pet", `version: "v1.2.3"`, ""},
		"one version, not said":      {`permissions: packages: ["other@1.2.3"]`, "other:index:Pet", ``, ""},
		"another version":            {`permissions: packages: ["other@1.2.3"]`, "other:index:Pet", `version: "1.2.4"`, "options.version"},
		"two versions, one said":     {`permissions: packages: ["other@1.2.3", "other@2.0.0"]`, "other:index:Pet", `version: "2.0.0", provider: "east"`, "type"},
		"from anywhere":              {`permissions: packages: ["other"]`, "other:index:Pet", `pluginDownloadURL: "https://plugins.example.com/x"`, "options.pluginDownloadURL"},
		"from where it may":          {`permissions: {packages: ["other"], hosts: ["https://plugins.example.com"]}`, "other:index:Pet", `pluginDownloadURL: "https://plugins.example.com/x"`, ""},
		"from a forge":               {`permissions: {packages: ["other"], hosts: ["https://plugins.example.com"]}`, "other:index:Pet", `pluginDownloadURL: "github://api.github.com/me"`, "options.pluginDownloadURL"},
		"from a forge that may":      {`permissions: {packages: ["other"], hosts: ["https://api.github.com"]}`, "other:index:Pet", `pluginDownloadURL: "github://api.github.com/me"`, ""},
		"from a folder":              {`permissions: packages: ["other"]`, "other:index:Pet", `pluginDownloadURL: "file:///tmp/x"`, "options.pluginDownloadURL"},
		"no block, from its own URL": {"", "other:index:Pet", `pluginDownloadURL: "https://plugins.example.com/x"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, ofPackages(tc.permissions, tc.typ, tc.options))
			var got []string
			for _, d := range diags {
				if d.Severity == diag.Error {
					got = append(got, d.Code+" "+d.Path[strings.LastIndex(d.Path, "children.")+len("children."):])
				}
			}
			refused := len(got) > 0
			if refused != (tc.want != "") {
				t.Fatalf("refused: %q, and wanted is %q", got, tc.want)
			}
			if refused && !strings.HasSuffix(got[len(got)-1], "."+tc.want) {
				t.Errorf("refused at %q, and wanted is %q", got, tc.want)
			}
		})
	}
}

// TestPackagesAtRunTime: what templates say of a child's plugin is held to the grants, too,
// and the one version that is granted is the one that is asked for.
func TestPackagesAtRunTime(t *testing.T) {
	const granted = `permissions: {packages: ["other@1.2.3"], hosts: ["https://plugins.example.com"]}`
	for name, tc := range map[string]struct {
		permissions, options, version, from string
		want                                string // the version that is registered, "" for none
		refused                             bool
	}{
		"the one that is granted": {granted, ``, "", "", "1.2.3", false},
		"asked for":               {granted, `version: "${inputs.version}"`, "1.2.3", "", "1.2.3", false},
		"another":                 {granted, `version: "${inputs.version}"`, "1.2.4", "", "", true},
		"from where it may":       {granted, `pluginDownloadURL: "${inputs.from}"`, "", "https://plugins.example.com/x", "1.2.3", false},
		"from elsewhere":          {granted, `pluginDownloadURL: "${inputs.from}"`, "", "https://other.example.com/x", "", true},
		"from a folder":           {granted, `pluginDownloadURL: "${inputs.from}"`, "", "file:///tmp", "", true},
		"no block":                {"", `version: "${inputs.version}"`, "1.2.4", "", "1.2.4", false},
		"no block, from anywhere": {"", `pluginDownloadURL: "${inputs.from}"`, "", "https://other.example.com/x", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			m := newFakeMonitor()
			var kv []any
			if tc.version != "" {
				kv = append(kv, "version", tc.version)
			}
			if tc.from != "" {
				kv = append(kv, "from", tc.from)
			}
			out, err := construct(t, ofPackages(tc.permissions, "other:index:Pet", tc.options), m, kv...)
			if refused := err != nil || len(out.Failures) > 0; refused != tc.refused {
				t.Fatalf("refused: %v, %v, %+v", refused, err, out.Failures)
			}
			pet, there := m.all["web-pet"]
			if there == tc.refused || pet.Options.Version != tc.want {
				t.Errorf("registered: %v, with version %q", there, pet.Options.Version)
			}
		})
	}
}

// TestPackagesAreListed: who reviews a spec sees which packages it makes resources of.
func TestPackagesAreListed(t *testing.T) {
	for granted, want := range map[string][]permissions.Grant{
		``: {
			{Access: "packages", Pattern: "other", Implied: true},
			{Access: "hosts", Pattern: "https://plugins.example.com", Implied: true},
		},
		`permissions: {packages: ["other@1.2.3"], hosts: ["https://*.example.com"]}`: {
			{Access: "hosts", Pattern: "https://*.example.com"},
			{Access: "packages", Pattern: "other@1.2.3"},
		},
	} {
		prog, diags := newWorld().compile(t, ofPackages(granted, "other:index:Pet", `pluginDownloadURL: "https://plugins.example.com/x"`))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		got, err := permissions.List(prog.Program)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", granted, err, diff)
		}
	}
}
