package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// The files of a secret archive are their owner's alone, and who makes others read them
// is told.
func TestSecretArchives(t *testing.T) {
	text, err := asset.FromText("p1n-of-the-program")
	if err != nil {
		t.Fatal(err)
	}
	given, err := archive.FromAssets(map[string]any{"a": text})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mode   string
		secret bool
		others bool // that others may read it
		told   bool
	}{{"null", true, false, false}, {`"0644"`, true, true, true}, {"null", false, true, false}, {`"0600"`, true, false, false}} {
		t.Run(fmt.Sprintf("mode %s, secret %t", strings.Trim(c.mode, `"`), c.secret), func(t *testing.T) {
			e, dir := newWorld().engine(t, `
				package test
				import "declprov.dev/spec"
				name: "test", version: "1.0.0"
				permissions: write: ["**"]
				resources: Thing: {
				inputs: site: spec.#Archive
				id: "x"
				create: file: unpack: {path: "www", archive: "${inputs.site}", mode: `+c.mode+`}
			}`)
			log := &recorder{}
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("site", property.New(given).WithSecret(c.secret)), Log: log})
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			info, err := os.Stat(filepath.Join(dir, "www", "a"))
			if err != nil || (info.Mode()&0o044 != 0) != c.others {
				t.Errorf("its mode is %v, %v", info.Mode(), err)
			}
			if told := strings.Contains(strings.Join(log.messages, "\n"), "others can read it"); told != c.told {
				t.Errorf("told %v: %q", told, log.messages)
			}
		})
	}
}

// TestVetFindsFilesForOthers: vet warns wherever secret content goes into a file that
// others can read by what is written.
func TestVetFindsFilesForOthers(t *testing.T) {
	for name, c := range map[string]struct {
		step  string
		warns int
	}{
		"unpack":                 {`file: unpack: {path: "www", archive: "${inputs.site}", mode: "0644"}`, 1},
		"unpack for one":         {`file: unpack: {path: "www", archive: "${inputs.site}", mode: "0600"}`, 0},
		"upload":                 {`exec: {command: ["true"], ssh: SSH, upload: [{path: "a", content: "${inputs.pin}", mode: "0644"}]}`, 1},
		"upload of what is none": {`exec: {command: ["true"], ssh: SSH, upload: [{path: "a", content: "${inputs.name}", mode: "0644"}]}`, 0},
		"upload for one":         {`exec: {command: ["true"], ssh: SSH, upload: [{path: "a", content: "${inputs.pin}", mode: "0600"}]}`, 0},
		"several uploads":        {`exec: {command: ["true"], ssh: SSH, upload: [{path: "b", content: "${inputs.name}", mode: "0644"}, {path: "a", content: "${inputs.pin}"}]}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, strings.ReplaceAll(`
package test
import "declprov.dev/spec"
name: "test", version: "1.0.0"
resources: Thing: {
	inputs: {site: spec.#Archive @secret(), pin: string @secret(), name: string}
	id: "x"
	create: `+c.step+`
}`, "SSH", `{host: "h", user: "u", hostKey: "SHA256:x", password: "${inputs.pin}"}`))
			warned := 0
			for _, d := range diags {
				if d.Code == "secret-exposed" {
					warned++
				}
			}
			if warned != c.warns {
				t.Errorf("%d warnings, expected %d: %+v", warned, c.warns, diags)
			}
		})
	}
}
