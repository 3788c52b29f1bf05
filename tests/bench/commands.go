package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// execSpec is a provider that runs commands.
const execSpec = `package bench

name:    "bench"
version: "0.1.0"
// Many commands in one call.
functions: many: {
	inputs: names: [...string]
	outputs: count: int
	forEach: "${inputs.names}"
	exec: {command: ["true", "${each.value}"], effect: "none"}
	return: count: "${len(result)}"
}
resources: {}
`

// execCalls is how many commands run in one call.
const execCalls = 400

// commands measures commands: through the engine, and by fork and exec alone, in a
// process of its own, in turn. Both read what the command writes.
func (b *bench) commands(ctx context.Context) error {
	p, err := b.startBench(ctx, execSpec)
	if err != nil {
		return err
	}
	defer p.stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := invokeMany(ctx, p, "many", 1); err != nil { // the first one starts a supervisor
		return err
	}
	var own, bare []float64
	for range 2 * b.rounds {
		took, err := timed(func() error { return invokeMany(ctx, p, "many", execCalls) })
		if err != nil {
			return err
		}
		own = append(own, us(took)/execCalls)
		printed, err := exec.CommandContext(ctx, self, "-bare-commands").Output()
		if err != nil {
			return err
		}
		each, err := strconv.ParseFloat(strings.TrimSpace(string(printed)), 64)
		if err != nil {
			return err
		}
		bare = append(bare, each)
	}
	b.rows = append(b.rows, row{
		what: "exec: a command, engine over bare fork and exec", got: median(ratios(own, bare)), budget: 1.05, unit: "x",
		detail: fmt.Sprintf("(%.0f us, bare %.0f us)", median(own), median(bare)),
	})
	return nil
}

// bareCommands prints how long a command takes that os/exec alone runs.
func bareCommands(ctx context.Context) error {
	took, err := timed(func() error {
		for i := range execCalls {
			var stdout, stderr bytes.Buffer
			cmd := exec.CommandContext(ctx, "true", strconv.Itoa(i))
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = fmt.Println(us(took) / execCalls)
	return err
}
