package sandbox

import (
	"context"
	"os/exec"
	"testing"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
)

// BenchmarkRun runs a command unconfined, with each of the kernel's means, and with both. The
// differences are the cost of the sandbox.
func BenchmarkRun(b *testing.B) {
	if err := CurrentKernel().Required(); err != nil {
		b.Skip(err)
	}
	files, err := files.New(b.TempDir(), []grant.Rule{{Access: grant.Write, Pattern: "**"}})
	if err != nil {
		b.Fatal(err)
	}
	network, err := network.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, by := range []struct {
		name   string
		kernel Kernel
	}{
		{"landlock", Kernel{ABI: CurrentKernel().ABI}},
		{"seccomp", Kernel{Filter: true}},
		{"both", CurrentKernel()},
	} {
		b.Run(by.name, func(b *testing.B) {
			for b.Loop() {
				box, err := Prepare(context.Background(), Command{Files: files, Network: network, Programs: []string{"/bin/true"}})
				if err != nil {
					b.Fatal(err)
				}
				cmd := exec.Command("/bin/true")
				if err := box.Rules.startConfinedBy(by.kernel, cmd.Start); err != nil {
					b.Fatal(err)
				}
				if err := cmd.Wait(); err != nil {
					b.Fatal(err)
				}
				if err := box.Close(true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
