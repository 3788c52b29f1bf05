package structure

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	codegen "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/names"
)

var (
	every = flag.Int("every", usualEvery, "which part of the changes is tried: one in so many; 1 tries all")
	which = flag.Uint("which", 0, "which one in so many")
	only  = flag.String("only", "", "the changes whose description contains this")
)

// TestBrokenStructure changes one part after the other of every spec.
func TestBrokenStructure(t *testing.T) {
	for _, o := range originals(t) {
		t.Run(o.Path, func(t *testing.T) {
			t.Parallel()
			take := func(what string) bool {
				if *only != "" {
					return strings.Contains(o.Path+": "+what, *only)
				}
				h := fnv.New32a()
				fmt.Fprint(h, o.Path, what)
				return h.Sum32()%uint32(*every) == uint32(*which)%uint32(*every)
			}
			variants, err := cueVariants, error(nil)
			if o.Format == "yaml" {
				variants = yamlVariants
			}
			list, err := variants(o.Text, take)
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(list, func(a, b variant) int { return strings.Compare(a.What, b.What) })
			passed := tryAll(t, list)
			t.Logf("%d changes, %d of which pass", len(list), passed)
		})
	}
}

// patience is how long a spec of a few kilobytes may take, on a machine that does
// much else.
const patience = 60 * time.Second

func tryAll(t *testing.T, list []variant) (passed int) {
	for _, v := range list {
		var fault error
		var ok bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			ok, fault = try(v)
		}()
		select {
		case <-done:
		case <-time.After(patience):
			buf := make([]byte, 1<<20)
			t.Fatalf("%s: no end after %s\n%s\n%s", v.What, patience, v.Text, buf[:runtime.Stack(buf, true)])
		}
		if fault != nil {
			t.Errorf("%s (%s): %v\n%s", v.What, v.Format, fault, excerpt(v))
		}
		if ok {
			passed++
		}
	}
	return passed
}

// excerpt is the spec, where it alone was asked for.
func excerpt(v variant) string {
	if *only != "" {
		return string(v.Text)
	}
	return "show it with -args -only='" + v.What + "'"
}

// try does with a spec what vet and a provider's process do. It reports whether
// vet passes it; the error is of what must never be.
func try(v variant) (passed bool, fault error) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	doc, findings := load.Load(context.Background(), load.Source{Path: "-", Stdin: v.Text, Format: v.Format})
	prog, more := engine.Compile(doc.Provider, builtin.Families())
	findings = append(findings, more...)
	findings = append(findings, names.Lint(doc.Provider, findings)...)
	if err := describable(slices.Concat(findings, prog.Unchecked)); err != nil {
		return false, err
	}
	if findings.HasErrors() {
		return false, nil
	}
	text, more := schema.Pulumi(doc.Provider)
	if more.HasErrors() {
		return false, describable(more)
	}
	encoded, err := container.Encode(container.Content{Provider: doc.Provider, Schema: text})
	if err != nil {
		return true, fmt.Errorf("what vet passes cannot be kept: %w", err)
	}
	return true, serve(encoded)
}

// describable reports findings without which an author cannot go on.
func describable(list diag.List) error {
	for _, d := range list {
		switch {
		case d.Code == "internal" || d.Code == "" || d.Summary == "":
			return fmt.Errorf("a finding that says nothing: %+v", d)
		case d.Severity == diag.Error && d.Subject.File == "":
			return fmt.Errorf("a finding without a place: %+v", d)
		case strings.Contains(d.Summary+d.Detail, "%!"):
			return fmt.Errorf("a finding with a hole: %+v", d)
		}
	}
	return nil
}

// serve does what a process does that serves the spec.
func serve(encoded []byte) error {
	ctx := context.Background()
	c, err := container.OpenBytes(encoded)
	if err != nil {
		return err
	}
	p, err := engine.Open(c, builtin.FamiliesOf)
	if err != nil {
		return err
	}
	if _, err := permissions.List(p.Program); err != nil { // compiles everything
		return err
	}
	s := pulumi.New(pulumi.Options{Program: p, Version: p.Metadata().Version, Schema: c.Schema, Dir: "."})
	out, err := s.GetSchema(ctx, &pulumirpc.GetSchemaRequest{})
	if err != nil {
		return err
	}
	return binds(out.GetSchema())
}

// binding is one at a time: the binder shares what it knows of other packages.
var binding sync.Mutex

// binds reports what Pulumi's own reader of schemas says against one.
func binds(text string) error {
	var doc codegen.PackageSpec
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return fmt.Errorf("the schema is not Pulumi's: %w", err)
	}
	binding.Lock()
	defer binding.Unlock()
	_, diags, err := codegen.BindSpec(doc, noLoader{}, codegen.ValidationOptions{})
	if err != nil || diags.HasErrors() {
		return fmt.Errorf("the schema does not bind: %w %v", err, diags)
	}
	return nil
}

// noLoader refuses other packages.
type noLoader struct{ codegen.Loader }
