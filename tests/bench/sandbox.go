package main

import (
	"context"
	"fmt"

	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// sandboxSpec runs commands that do nothing, in the kernel's sandbox and outside.
const sandboxSpec = `package bench

name:    "bench"
version: "0.1.0"
permissions: {write: ["**"], run: ["/bin/true"]}
functions: {
	[string]: {
		inputs: names: [...string]
		outputs: count: int
		forEach: "${inputs.names}"
		return: count: "${len(result)}"
	}
	confined: exec: {command: ["/bin/true"], effect: "none"}
	free: exec: {command: ["/bin/true"], effect: "none", sandbox: "off"}
}
`

const sandboxCalls = 300 // commands in one call

// sandbox measures what the kernel's sandbox adds to a command: many in one call,
// so that the host's protocol has no part in it.
func (b *bench) sandbox(ctx context.Context) error {
	if err := sandbox.CurrentKernel().Required(); err != nil {
		fmt.Println("left out, the kernel's sandbox:", err)
		return nil
	}
	p, err := b.startBench(ctx, sandboxSpec)
	if err != nil {
		return err
	}
	defer p.stop()
	took := map[string][]float64{}
	for range b.rounds {
		for _, function := range []string{"free", "confined"} {
			each, err := timed(func() error { return invokeMany(ctx, p, function, sandboxCalls) })
			if err != nil {
				return err
			}
			took[function] = append(took[function], us(each)/1000/sandboxCalls)
		}
	}
	free, confined := median(took["free"]), median(took["confined"])
	b.rows = append(b.rows, row{
		what: "exec: a command in the sandbox over one outside", got: confined - free, budget: 1.5, unit: "ms",
		detail: fmt.Sprintf("(%.2f ms, outside %.2f ms: %.2f x)", confined, free, median(ratios(took["confined"], took["free"]))),
	})
	return nil
}
