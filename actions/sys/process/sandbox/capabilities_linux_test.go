package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/spec"
)

// TestCapabilitiesAreThoseOfSpecs checks that commands can keep exactly the capabilities that
// specs may name.
func TestCapabilitiesAreThoseOfSpecs(t *testing.T) {
	var names []string
	for name := range keepableCapabilities() {
		names = append(names, name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(spec.Capabilities(), names); diff != "" {
		t.Errorf("(-specs +commands):\n%s", diff)
	}
}

// TestCapabilities checks which capabilities, in all sets, a command of root has, and what
// programs can do with them.
func TestCapabilities(t *testing.T) {
	needKernel(t)
	if os.Getuid() != 0 {
		return // other users have none
	}
	usual := []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID"}
	for name, tc := range map[string]struct {
		hosts         []string
		named, want   []string
		chown, become bool
	}{
		"by default": {nil, nil, usual, true, true},
		"any port":   {[]string{"http://*:*"}, nil, spec.Capabilities(), true, true},
		"one":        {nil, []string{"CAP_CHOWN"}, []string{"CAP_CHOWN"}, true, false},
		"two":        {nil, []string{"CAP_SETUID", "CAP_SETGID"}, []string{"CAP_SETGID", "CAP_SETUID"}, false, true},
		"none":       {nil, []string{}, []string{}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.hosts = tc.hosts
			box := w.rules(t)
			box.Rules.Capabilities = tc.named
			out, err := w.run(t, box, `sh -c '$SELF capabilities'`)
			if diff := cmp.Diff(tc.want, strings.Fields(out)); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			for script, want := range map[string]bool{
				`chown 1 $IN/file`: tc.chown,
				`setpriv --reuid=1 --regid=1 --clear-groups true`: tc.become,
			} {
				if out, err := w.run(t, box, script); (err == nil) != want {
					t.Errorf("%s: got %v, want success: %v\n%s", script, err, want, out)
				}
			}
		})
	}
}

// TestRootThatCannotShed checks that a command of root does not start in a container without
// the right to drop capabilities.
func TestRootThatCannotShed(t *testing.T) {
	needKernel(t)
	if os.Getuid() != 0 {
		return
	}
	self, err := helperProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("setpriv", "--bounding-set=-setpcap", self, "shed")
	cmd.Env = []string{helperVariable + "=1", hasty, "PATH=/usr/bin:/bin:/usr/sbin:/sbin"}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "SETPCAP") {
		t.Errorf("got %v, want a refusal that names the capability\n%s", err, out)
	}
}

// capabilities prints the capabilities that this program has or could get.
func capabilities([]string) error {
	_, sets, err := capabilitySets()
	if err != nil {
		return err
	}
	var names []string
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		bounded, _, _ := unix.Syscall(unix.SYS_PRCTL, unix.PR_CAPBSET_READ, c, 0)
		set, bit := sets[c/32], uint32(1)<<(c%32)
		if bounded != 1 && (set.Permitted|set.Effective|set.Inheritable)&bit == 0 {
			continue
		}
		name := fmt.Sprint(c)
		for known, number := range keepableCapabilities() {
			if number == c {
				name = known
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Println(strings.Join(names, " "))
	return nil
}
