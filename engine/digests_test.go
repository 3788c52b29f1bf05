package engine_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

const digests = `
package test
import "declprov.dev/spec"
name:    "test"
version: "1.0.0"
resources: Thing: {
	inputs: {source: spec.#Asset @noRead()}
	outputs: {sum: string, md5: string, bytes: int}
	id: "7"
	create: {
		world: do: {what: "make", with: "${sha256(inputs.source)}"}
		return: {sum: "${sha256(inputs.source)}", md5: "${md5(inputs.source)}", bytes: "${size(inputs.source)}"}
	}
	update: {
		world: do: {what: "change", with: "${sha256(state.source)}"}
		return: {sum: "${sha256(inputs.source)}", md5: "${md5(state.source)}", bytes: 0}
	}
	delete: world: do: what: "remove"
}`

// TestDigestsOfAssets shows the digests and the size of assets, whatever their content comes from,
// and that they are secret if the asset is.
func TestDigestsOfAssets(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.on("make", yields())
	e, dir := w.engine(t, digests)
	const content = "Grüße"
	sum, sum5 := sha256.Sum256([]byte(content)), md5.Sum([]byte(content))
	large := strings.Repeat("x", 40<<20) // more than an evaluation may hold
	sumLarge, sum5Large := sha256.Sum256([]byte(large)), md5.Sum([]byte(large))
	for name, text := range map[string]string{"note": content, "large": large} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := func(sum [32]byte, sum5 [16]byte, bytes int, is func(any) property.Value) property.Map {
		return object("sum", is(hex.EncodeToString(sum[:])), "md5", is(hex.EncodeToString(sum5[:])), "bytes", is(bytes))
	}
	noHash := func(a *asset.Asset) property.Value {
		a.Hash = ""
		return property.New(a)
	}
	hashed, _ := asset.FromText(content)
	for name, tc := range map[string]struct {
		source property.Value
		want   property.Map
	}{
		"a text":                 {property.New(hashed), all(sum, sum5, len(content), value)},
		"a text without a hash":  {noHash(&asset.Asset{Text: content}), all(sum, sum5, len(content), value)},
		"a file":                 {noHash(&asset.Asset{Path: "note"}), all(sum, sum5, len(content), value)},
		"a file of its hash":     {property.New(&asset.Asset{Path: "note", Hash: hex.EncodeToString(sum[:])}), all(sum, sum5, len(content), value)},
		"a large file":           {noHash(&asset.Asset{Path: "large"}), all(sumLarge, sum5Large, len(large), value)},
		"a secret":               {noHash(&asset.Asset{Text: content}).WithSecret(true), all(sum, sum5, len(content), secret)},
		"a file by its URL":      {noHash(&asset.Asset{URI: "file://" + filepath.ToSlash(filepath.Join(dir, "note"))}), all(sum, sum5, len(content), value)},
		"a secret with its hash": {property.New(hashed).WithSecret(true), all(sum, sum5, len(content), secret)},
	} {
		t.Run(name, func(t *testing.T) {
			state := created(t, e, "Thing", property.NewMap(map[string]property.Value{"source": tc.source}))
			if d := cmp.Diff(tc.want, state.Outputs.Delete("source"), values); d != "" {
				t.Errorf("outputs (-want +got):\n%s", d)
			}
		})
	}
	sent := w.log()
	if len(sent) != 8 || !strings.Contains(sent[0], "make ") {
		t.Errorf("sent %v", sent)
	}
}

// TestDigestsOfOtherContent: of a recorded asset only the SHA-256 is known, and a file that has
// changed since the program passed it has no digest.
func TestDigestsOfOtherContent(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e, dir := w.engine(t, digests)
	if err := os.WriteFile(filepath.Join(dir, "note"), []byte("now"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := asset.FromText("before")
	for name, tc := range map[string]struct {
		recorded *asset.Asset
		want     string
	}{
		"elided":  {&asset.Asset{Hash: before.Hash}, "the state contains only its hash"},
		"changed": {&asset.Asset{Path: "note", Hash: before.Hash}, "has changed"},
		"missing": {&asset.Asset{Path: "none", Hash: before.Hash}, `asset "none"`},
	} {
		t.Run(name, func(t *testing.T) {
			inputs := property.NewMap(map[string]property.Value{"source": property.New(tc.recorded)})
			state := engine.State{ID: "7", Inputs: inputs, Outputs: inputs.Set("sum", value("x")).Set("md5", value("x")).Set("bytes", value(1))}
			news := property.NewMap(map[string]property.Value{"source": property.New(before)})
			w.log()
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: news.Set("source", property.New(&asset.Asset{Text: "after"}))})
			if out.Err == nil || !strings.Contains(out.Err.Error(), tc.want) {
				t.Errorf("the error is %v, want one with %q", out.Err, tc.want)
			}
			if d := cmp.Diff([]string{"change " + before.Hash}, w.log()); d != "" {
				t.Errorf("sent (-want +got):\n%s", d)
			}
		})
	}
}

// TestNoDigestsOfArchives: the bytes of an archive depend on how it is packed.
func TestNoDigestsOfArchives(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"sha256(inputs.source)", "md5(inputs.source)", "size(inputs.source)", "sha512(inputs.source)"} {
		_, diags := newWorld().compile(t, strings.Replace(strings.ReplaceAll(digests, "spec.#Asset", "spec.#Archive"), `bytes: "${size(inputs.source)}"`, `bytes: "${`+call+`}"`, 1))
		var codes []string
		for _, d := range diags {
			codes = append(codes, d.Code)
		}
		if len(codes) == 0 || slices.ContainsFunc(codes, func(c string) bool { return c != "wrong-argument" }) {
			t.Errorf("%s: %v", call, codes)
		}
	}
}
