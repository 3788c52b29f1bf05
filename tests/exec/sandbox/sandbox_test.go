// Package sandbox runs commands through providers, and looks at what the kernel
// keeps them from.
package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestOutsideTheGrants: what is refused to the command, and to what it starts, and
// to what that starts. Without permissions, and so without a sandbox, all of it
// goes well.
func TestOutsideTheGrants(t *testing.T) {
	need(t)
	free, confined := newWorld(t, "", ""), newWorld(t, granting, "")
	out, ro := confined.files("out"), confined.files("ro")
	for _, script := range []string{
		`kill -0 $OUTER`,
		`cat /proc/$OUTER/environ >/dev/null`,
		`cat /proc/$OUTER/cmdline >/dev/null`,
		`ls -l /proc/$OUTER/fd >/dev/null`,
		`ls $OUT`,
		`cat $OUT/secret`,
		`cat $IN/link`,
		`ln -s $OUT $IN/away && cat $IN/away/secret`,
		`ln $OUT/secret $IN/hard && cat $IN/hard`,
		`echo more >> $OUT/secret`,
		`echo more >> $IN/link`,
		`echo more >> $RO/file`,
		`truncate -s 0 $RO/file`,
		`: > $OUT/secret`,
		`ln $IN/file $OUT/linked`,
		`touch $OUT/new`,
		`mkdir $OUT/folder && rmdir $OUT/folder`,
		`mv $RO/file $IN/taken`,
		`mv $IN/file $OUT/given`,
		`rm $OUT/secret`,
	} {
		t.Run(script, func(t *testing.T) {
			if got := free.run(script); got.code != 0 {
				t.Errorf("without a sandbox it fails, and so shows nothing: %+v", got)
			}
			for _, deep := range []string{`eval "$S"`, `sh -c "$S"`, `sh -c 'sh -c "$S" & wait $!'`, `setsid -w sh -c "$S"`} {
				got := confined.run(fmt.Sprintf("export S='%s'\n%s", script, deep))
				if got.code == 0 || strings.Contains(got.stdout+got.stderr, secret) {
					t.Errorf("by %s: %+v", deep, got)
				}
			}
		})
	}
	if diff := cmp.Diff(out, confined.files("out")); diff != "" {
		t.Errorf("out has changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(ro, confined.files("ro")); diff != "" {
		t.Errorf("ro has changed (-before +after):\n%s", diff)
	}
}

func TestWithinTheGrants(t *testing.T) {
	need(t)
	w := newWorld(t, granting, "")
	for script, want := range map[string]string{
		`cat $RO/file $IN/file`: "read\nwrite",
		`echo a > $IN/a && mv $IN/a $IN/b && ln $IN/b $IN/c && cat $IN/c`:      "a",
		`echo n > $NEW/n && cat $NEW/n`:                                        "n",
		`f=$(mktemp) && echo t > $f && cat $f`:                                 "t",
		`cd && echo h > .rc && cat ~/.rc`:                                      "h",
		`seq 20 | sed s/0/x/ | grep x | head -n 1`:                             "1x",
		`sleep 60 & kill $! && echo gone`:                                      "gone",
		`date -u -d @0 +%Y; id -u >/dev/null; echo end >/dev/null`:             "1970",
		`awk 'BEGIN { while (getline line < "/etc/hosts") n++; print (n>0) }'`: "1",
	} {
		t.Run(script, func(t *testing.T) {
			if got := w.run(script); got.code != 0 || got.stdout != want {
				t.Errorf("got %+v, want %q", got, want)
			}
		})
	}
}

// TestFilesHandedOver: what the step hands its command is the command's own.
func TestFilesHandedOver(t *testing.T) {
	need(t)
	w := newWorld(t, granting, `, files: [{path: "run.sh", content: "#!/bin/sh\necho handed\n", mode: "0755"}]`)
	if got := w.run(`$DECLPROV_FILES/run.sh`); got.code != 0 || got.stdout != "handed" {
		t.Errorf("got %+v", got)
	}
}

func TestPython(t *testing.T) {
	need(t)
	python := tools.Need(t, tools.Python)
	w := newWorld(t, granting, "")
	got := w.run(python + ` -c 'import os, json, ssl, subprocess, tempfile, hashlib
with tempfile.TemporaryDirectory() as d: open(d + "/f", "w").write("x")
print(json.dumps({"in": os.listdir(os.environ["IN"])}), subprocess.check_output(["echo", "child"]).decode().strip())
try: open(os.environ["OUT"] + "/secret")
except PermissionError: print("refused")'`)
	if want := "{\"in\": [\"file\", \"link\"]} child\nrefused"; got.code != 0 || !same(got.stdout, want) {
		t.Errorf("got %+v, want %q", got, want)
	}
}

// same compares without the order of two names.
func same(got, want string) bool {
	return got == want || strings.Replace(got, `["link", "file"]`, `["file", "link"]`, 1) == want
}

// TestNoFileIsInherited: what the provider has open, such as its socket to the host, a
// command has not.
func TestNoFileIsInherited(t *testing.T) {
	need(t)
	python := tools.Need(t, tools.Python)
	w := newWorld(t, granting, "")
	got := w.run(python + ` -c 'import os
for fd in range(3, 1024):
    try: print(fd, os.fstat(fd))
    except OSError: pass'`)
	if got.code != 0 || got.stdout != "" {
		t.Errorf("got %+v, want no files", got)
	}
}

// TestCapabilities: what root's commands keep is what the spec says.
func TestCapabilities(t *testing.T) {
	need(t)
	if os.Getuid() != 0 {
		return // nobody else has any
	}
	for _, tc := range []struct {
		name, named   string
		chown, become bool
	}{
		{"nothing said", "", true, true},
		{"one", `	capabilities: ["CAP_CHOWN"]`, true, false},
		{"none", `	capabilities: []`, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, strings.Replace(granting, "\n}\n", "\n"+tc.named+"\n}\n", 1), "")
			for script, want := range map[string]bool{
				`chown 1 $IN/file`: tc.chown,
				`setpriv --reuid=1 --regid=1 --clear-groups true`: tc.become,
			} {
				if got := w.run(script); (got.code == 0) != want {
					t.Errorf("%s: got %+v, want that it succeeds: %v", script, got, want)
				}
			}
		})
	}
}

// TestScratch: a command has a folder of its own for temporary files, and none is
// left of it.
func TestScratch(t *testing.T) {
	need(t)
	w := newWorld(t, granting, "")
	var before string
	for range 2 {
		got := w.run(`mkdir -p $TMPDIR/a/b && echo x > $TMPDIR/a/b/f && chmod 500 $TMPDIR/a/b $TMPDIR/a && stat -c %a $TMPDIR && echo $TMPDIR`)
		mode, scratch, ok := strings.Cut(got.stdout, "\n")
		if got.code != 0 || !ok || mode != "700" || scratch == before {
			t.Fatalf("got %+v, want a folder of its own", got)
		}
		if _, err := os.Lstat(scratch); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", scratch, err)
		}
		before = scratch
	}
}

// TestTheProviderIsUnconfined: after commands in the sandbox, the provider's own
// actions reach what they are granted, and commands outside of it run as ever.
func TestTheProviderIsUnconfined(t *testing.T) {
	need(t)
	free := newWorld(t, "", ", sandbox: \"required\"")
	if got := free.run("cat $OUT/secret"); got.code == 0 {
		t.Errorf("required, without permissions: %+v", got)
	}
	const both = `package both
name: "both"
version: "0.1.0"
permissions: {read: ["**"], run: ["/bin/cat"]}
resources: Both: {
	inputs: path: string @replace()
	outputs: {confined: string, free: string, own: string}
	id: "both"
	create: steps: [
		{as: "box", exec: {command: ["/bin/cat", "/etc/fstab"], exitCodes: ok: [0, 1]}},
		{as: "free", exec: {command: ["/bin/cat", "/etc/fstab"], exitCodes: ok: [0, 1], sandbox: "off"}},
		{as: "own", file: read: path: "${inputs.path}"},
	]
	return: {confined: "${steps.box.stderr}", free: "${steps.free.stderr}", own: "${steps.own.content}"}
}
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("own"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := provider.Configured(t, provider.FolderWith(t, "both", ".cue", both), "both", dir, nil)
	state, err := p.Create(t.Context(), client.Resource{Type: "both:index:Both", Name: "both"},
		property.NewMap(map[string]property.Value{"path": property.New("f")}), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	text := func(name string) string { return state.Outputs.Get(name).AsString() }
	if !strings.Contains(text("confined"), "denied") || strings.Contains(text("free"), "denied") || text("own") != "own" {
		t.Errorf("got %q in the sandbox, %q outside, %q by the provider", text("confined"), text("free"), text("own"))
	}
}
